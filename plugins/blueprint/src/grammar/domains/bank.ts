import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const bank: DomainBlueprint = {
  key: 'bank',
  taxonomy: ['finance', 'bank'],
  entities: [
    entity('customer', 'customer|account holder', 'person', {
      fields: ['email', 'address', 'tier'],
      states: ['pending', 'verified', 'blocked'],
      acts: [status('verify', 'pending', 'verified'), status('ban', ['pending', 'verified'], 'blocked')],
      create: 'register',
    }),
    entity('branch', 'branch|local office', 'place', { fields: ['address', 'phone'] }),
    entity('account', 'account|bank account', 'code', {
      fields: ['balance', 'limit'],
      refs: ['customer', 'branch'],
      states: ['active', 'frozen', 'closed'],
      acts: [
        adjust('add', 'balance'),
        adjust('deduct', 'balance'),
        transfer('transfer', 'balance'),
        status('freeze', 'active', 'frozen'),
        status('unfreeze', 'frozen', 'active'),
        assign('move', 'branch'),
      ],
      create: 'open',
    }),
    entity('card', 'card|payment card', 'none', {
      fields: ['limit', 'expiry', 'color'],
      refs: ['account'],
      states: ['active', 'locked', 'expired'],
      acts: [
        status('lock', 'active', 'locked'),
        status('unlock', 'locked', 'active'),
        status('renew', 'expired', 'active'),
        adjust('raise', 'limit'),
      ],
      create: 'issue',
    }),
    entity('loan', 'loan|mortgage', 'code', {
      fields: ['amount', 'dueDate'],
      refs: ['customer'],
      states: ['submitted', 'approved', 'rejected', 'paid'],
      acts: [
        status('approve', 'submitted', 'approved'),
        status('reject', 'submitted', 'rejected'),
        adjust('deduct', 'amount'),
      ],
      create: 'request',
    }),
    entity('payment', 'payment|standing order', 'code', {
      fields: ['amount', 'date', 'note'],
      refs: ['account'],
      states: ['pending', 'completed', 'cancelled', 'flagged'],
      acts: [status('cancel', 'pending', 'cancelled'), status('flag', ['pending', 'completed'], 'flagged')],
      create: 'plan',
    }),
    entity('adviser', 'adviser|consultant', 'person', {
      fields: ['phone', 'language'],
      refs: ['branch'],
      optional: true,
    }),
    entity('meeting', 'meeting|talk', 'none', {
      fields: ['date', 'time', 'topic'],
      refs: ['customer', 'adviser'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [status('cancel', 'planned', 'cancelled'), assign('book', 'adviser')],
      create: 'book',
      optional: true,
    }),
    entity('claim', 'claim|complaint case', 'none', {
      fields: ['reason', 'amount', 'priority'],
      refs: ['payment'],
      states: ['open', 'escalated', 'resolved'],
      acts: [status('resolve', ['open', 'escalated'], 'resolved'), status('escalate', 'open', 'escalated')],
      create: 'file',
      optional: true,
    }),
    entity('safe', 'safe box|deposit box', 'room', {
      fields: ['size', 'fee'],
      refs: ['branch'],
      states: ['available', 'occupied'],
      acts: [status('release', 'occupied', 'available'), status('reserve', 'available', 'occupied')],
      optional: true,
    }),
  ],
}
