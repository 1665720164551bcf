import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const gaming: DomainBlueprint = {
  key: 'gaming',
  taxonomy: ['leisure', 'gaming'],
  entities: [
    entity('player', 'player|gamer', 'person', {
      fields: ['points', 'level', 'email'],
      states: ['active', 'flagged', 'blocked'],
      acts: [
        status('flag', 'active', 'flagged'),
        status('ban', ['active', 'flagged'], 'blocked'),
        adjust('add', 'points'),
        adjust('spend', 'points'),
        transfer('send', 'points'),
      ],
      create: 'register',
    }),
    entity('guild', 'guild|clan|squad', 'team', {
      fields: ['budget', 'capacity', 'visibility'],
      refs: ['player'],
      states: ['active', 'closed'],
      acts: [status('terminate', 'active', 'closed'), adjust('raise', 'capacity'), transfer('share', 'budget')],
      create: 'open',
    }),
    entity('hero', 'hero|character', 'title', {
      fields: ['level', 'score', 'color'],
      refs: ['player', 'guild'],
      states: ['active', 'hidden', 'archived'],
      acts: [
        status('hide', 'active', 'hidden'),
        status('archive', ['active', 'hidden'], 'archived'),
        assign('move', 'guild'),
        adjust('raise', 'level'),
      ],
      create: 'add',
    }),
    entity('item', 'item|artifact', 'product', {
      fields: ['price', 'weight', 'condition'],
      refs: ['hero'],
      states: ['available', 'locked', 'damaged'],
      acts: [
        status('lock', 'available', 'locked'),
        status('unlock', 'locked', 'available'),
        status('repair', 'damaged', 'available'),
        assign('assign', 'hero'),
      ],
      create: 'add',
    }),
    entity('quest', 'quest|mission', 'none', {
      fields: ['difficulty', 'dueDate', 'score'],
      refs: ['hero'],
      states: ['open', 'active', 'completed', 'expired'],
      acts: [
        status('start', 'open', 'active'),
        status('complete', 'active', 'completed'),
        status('renew', 'expired', 'open'),
      ],
      create: 'issue',
    }),
    entity('match', 'match|duel', 'code', {
      fields: ['date', 'duration', 'mode'],
      refs: ['guild'],
      states: ['planned', 'completed', 'disputed', 'cancelled'],
      acts: [status('cancel', 'planned', 'cancelled'), status('contest', 'completed', 'disputed')],
      create: 'plan',
    }),
    entity('offer', 'market offer|auction lot', 'none', {
      fields: ['price', 'quantity', 'dueDate'],
      refs: ['player', 'item'],
      states: ['open', 'accepted', 'withdrawn'],
      acts: [status('accept', 'open', 'accepted'), status('withdraw', 'open', 'withdrawn'), adjust('lower', 'price')],
      create: 'place',
      optional: true,
    }),
    entity('report', 'report|abuse note', 'none', {
      fields: ['reason', 'severity', 'pastDate'],
      refs: ['player'],
      states: ['open', 'resolved', 'rejected'],
      acts: [status('resolve', 'open', 'resolved'), status('reject', 'open', 'rejected')],
      create: 'file',
      optional: true,
    }),
    entity('server', 'realm|game server', 'place', {
      fields: ['capacity', 'language'],
      states: ['active', 'paused', 'closed'],
      acts: [status('pause', 'active', 'paused'), status('resume', 'paused', 'active'), adjust('raise', 'capacity')],
      optional: true,
    }),
  ],
}
