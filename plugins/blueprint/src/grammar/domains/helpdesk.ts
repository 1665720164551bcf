import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const helpdesk: DomainBlueprint = {
  key: 'helpdesk',
  taxonomy: ['technology', 'helpdesk'],
  entities: [
    entity('customer', 'customer|requester|end user', 'person', {
      fields: ['email', 'phone', 'tier'],
      states: ['active', 'blocked'],
      acts: [status('ban', 'active', 'blocked')],
      create: 'register',
    }),
    entity('team', 'team|support group', 'team', {
      fields: ['budget', 'shift'],
      acts: [transfer('relocate', 'budget'), adjust('spend', 'budget')],
    }),
    entity('agent', 'agent|support worker', 'person', {
      fields: ['email', 'hours', 'language'],
      refs: ['team'],
      acts: [assign('move', 'team'), adjust('log', 'hours')],
      create: 'hire',
    }),
    entity('ticket', 'ticket|case|request', 'code', {
      fields: ['priority', 'topic', 'dueDate'],
      refs: ['customer', 'agent'],
      states: ['open', 'escalated', 'paused', 'resolved', 'closed'],
      acts: [
        status('escalate', 'open', 'escalated'),
        status('resolve', ['open', 'escalated'], 'resolved'),
        status('reopen', ['resolved', 'closed'], 'open'),
        status('pause', 'open', 'paused'),
        assign('assign', 'agent'),
      ],
      create: 'open',
    }),
    entity('reply', 'reply|response', 'none', {
      fields: ['pastDate', 'channel', 'minutes'],
      refs: ['ticket', 'agent'],
      states: ['draft', 'published', 'hidden'],
      acts: [status('publish', 'draft', 'published'), status('hide', 'published', 'hidden')],
      create: 'log',
    }),
    entity('asset', 'asset|machine', 'code', {
      fields: ['condition', 'price', 'expiry'],
      refs: ['customer'],
      states: ['available', 'damaged', 'archived'],
      acts: [
        status('repair', 'damaged', 'available'),
        status('archive', ['available', 'damaged'], 'archived'),
        assign('move', 'customer'),
      ],
      create: 'register',
    }),
    entity('article', 'article|guide page', 'title', {
      fields: ['visibility', 'language', 'votes'],
      refs: ['agent'],
      states: ['draft', 'published', 'archived', 'featured'],
      acts: [
        status('publish', 'draft', 'published'),
        status('feature', 'published', 'featured'),
        adjust('add', 'votes'),
      ],
      create: 'add',
      optional: true,
    }),
    entity('contract', 'service contract|maintenance plan', 'code', {
      fields: ['fee', 'endDate', 'coverage'],
      refs: ['customer'],
      states: ['active', 'expired', 'terminated'],
      acts: [status('renew', 'expired', 'active'), status('terminate', 'active', 'terminated')],
      create: 'issue',
      optional: true,
    }),
    entity('incident', 'incident|outage', 'project', {
      fields: ['severity', 'pastDate', 'duration'],
      refs: ['team'],
      states: ['open', 'inspected', 'resolved'],
      acts: [status('inspect', 'open', 'inspected'), status('resolve', ['open', 'inspected'], 'resolved')],
      create: 'log',
      optional: true,
    }),
  ],
}
