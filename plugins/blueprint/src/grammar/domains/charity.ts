import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const charity: DomainBlueprint = {
  key: 'charity',
  taxonomy: ['community', 'charity'],
  entities: [
    entity('donor', 'donor|supporter|giver', 'person', {
      fields: ['email', 'tier', 'channel'],
      create: 'register',
    }),
    entity('campaign', 'campaign|appeal|fundraiser', 'project', {
      fields: ['budget', 'endDate', 'visibility'],
      states: ['draft', 'active', 'paused', 'closed'],
      acts: [
        status('launch', 'draft', 'active'),
        status('pause', 'active', 'paused'),
        status('resume', 'paused', 'active'),
        transfer('relocate', 'budget'),
        adjust('spend', 'budget'),
      ],
      create: 'plan',
    }),
    entity('pledge', 'pledge|donation', 'code', {
      fields: ['amount', 'date', 'payment'],
      refs: ['donor', 'campaign'],
      states: ['pending', 'received', 'withdrawn', 'refunded'],
      acts: [
        status('receive', 'pending', 'received'),
        status('withdraw', 'pending', 'withdrawn'),
        status('refund', 'received', 'refunded'),
        adjust('raise', 'amount'),
        assign('move', 'campaign'),
      ],
      create: 'log',
    }),
    entity('volunteer', 'volunteer|helper', 'person', {
      fields: ['phone', 'hours', 'language'],
      states: ['pending', 'accepted', 'blocked'],
      acts: [
        status('accept', 'pending', 'accepted'),
        status('ban', ['pending', 'accepted'], 'blocked'),
        adjust('log', 'hours'),
      ],
      create: 'register',
    }),
    entity('duty', 'duty|shift', 'none', {
      fields: ['date', 'time', 'party'],
      refs: ['volunteer', 'campaign'],
      states: ['planned', 'confirmed', 'cancelled'],
      acts: [
        status('confirm', 'planned', 'confirmed'),
        status('cancel', ['planned', 'confirmed'], 'cancelled'),
        assign('reassign', 'volunteer'),
      ],
      create: 'plan',
    }),
    entity('family', 'beneficiary|aided household', 'person', {
      fields: ['address', 'party', 'dietary'],
      states: ['pending', 'verified', 'closed'],
      acts: [status('verify', 'pending', 'verified'), status('close', 'verified', 'closed')],
      create: 'register',
    }),
    entity('grant', 'grant|subsidy', 'code', {
      fields: ['amount', 'dueDate', 'reason'],
      refs: ['family'],
      states: ['submitted', 'approved', 'rejected', 'paid'],
      acts: [
        status('approve', 'submitted', 'approved'),
        status('reject', 'submitted', 'rejected'),
        status('pay', 'approved', 'paid'),
      ],
      create: 'request',
      optional: true,
    }),
    entity('parcel', 'aid parcel|food box', 'none', {
      fields: ['weight', 'date', 'size'],
      refs: ['family', 'volunteer'],
      states: ['packed', 'dispatched', 'delivered'],
      acts: [
        status('dispatch', 'packed', 'dispatched'),
        status('deliver', 'dispatched', 'delivered'),
        assign('assign', 'volunteer'),
      ],
      create: 'add',
      optional: true,
    }),
    entity('partner', 'partner|corporate sponsor', 'company', {
      fields: ['budget', 'email'],
      acts: [transfer('send', 'budget'), adjust('raise', 'budget')],
      create: 'add',
      optional: true,
    }),
  ],
}
