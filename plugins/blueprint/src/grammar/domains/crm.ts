import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const crm: DomainBlueprint = {
  key: 'crm',
  taxonomy: ['business', 'crm'],
  entities: [
    entity('company', 'company|business|client', 'company', {
      fields: ['address', 'tier', 'budget'],
      states: ['active', 'archived'],
      acts: [status('archive', 'active', 'archived'), transfer('relocate', 'budget'), adjust('raise', 'budget')],
      create: 'add',
    }),
    entity('contact', 'contact|lead', 'person', {
      fields: ['email', 'phone', 'language'],
      refs: ['company'],
      acts: [assign('move', 'company')],
      create: 'add',
    }),
    entity('rep', 'sales rep|account manager', 'person', {
      fields: ['email', 'points', 'salary'],
      acts: [adjust('add', 'points')],
      create: 'hire',
    }),
    entity('deal', 'deal|opportunity', 'code', {
      fields: ['amount', 'dueDate'],
      refs: ['company', 'rep'],
      states: ['open', 'won', 'lost', 'frozen'],
      acts: [
        status('win', 'open', 'won'),
        status('freeze', 'open', 'frozen'),
        status('unfreeze', 'frozen', 'open'),
        assign('reassign', 'rep'),
        adjust('raise', 'amount'),
      ],
      create: 'open',
    }),
    entity('task', 'task|to-do', 'none', {
      fields: ['dueDate', 'priority', 'topic'],
      refs: ['rep', 'contact'],
      states: ['pending', 'completed', 'cancelled'],
      acts: [status('complete', 'pending', 'completed'), status('cancel', 'pending', 'cancelled')],
      create: 'add',
    }),
    entity('quote', 'quote|offer', 'code', {
      fields: ['price', 'discount', 'expiry'],
      refs: ['deal'],
      states: ['draft', 'submitted', 'accepted', 'rejected'],
      acts: [
        status('submit', 'draft', 'submitted'),
        status('accept', 'submitted', 'accepted'),
        status('reject', 'submitted', 'rejected'),
      ],
      create: 'issue',
    }),
    entity('campaign', 'campaign|promotion', 'project', {
      fields: ['budget', 'startDate', 'channel'],
      states: ['draft', 'active', 'paused', 'closed'],
      acts: [
        status('launch', 'draft', 'active'),
        status('pause', 'active', 'paused'),
        status('resume', 'paused', 'active'),
        transfer('relocate', 'budget'),
      ],
      create: 'plan',
      optional: true,
    }),
    entity('meeting', 'meeting|call', 'none', {
      fields: ['date', 'time', 'channel'],
      refs: ['contact', 'rep'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [status('cancel', 'planned', 'cancelled'), assign('book', 'rep')],
      create: 'book',
      optional: true,
    }),
    entity('contract', 'contract|agreement', 'code', {
      fields: ['amount', 'endDate'],
      refs: ['company'],
      states: ['draft', 'signed', 'terminated'],
      acts: [status('sign', 'draft', 'signed'), status('terminate', 'signed', 'terminated')],
      create: 'file',
      optional: true,
    }),
    entity('territory', 'territory|region', 'place', {
      fields: ['budget', 'visibility'],
      refs: ['rep'],
      acts: [assign('assign', 'rep')],
      optional: true,
    }),
  ],
}
