import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const library: DomainBlueprint = {
  key: 'library',
  taxonomy: ['culture', 'library'],
  entities: [
    entity('member', 'member|patron|reader', 'person', {
      fields: ['email', 'points', 'expiry'],
      states: ['active', 'blocked', 'expired'],
      acts: [
        status('renew', 'expired', 'active'),
        status('ban', 'active', 'blocked'),
        adjust('add', 'points'),
        transfer('share', 'points'),
      ],
      create: 'register',
    }),
    entity('branch', 'branch|site', 'place', { fields: ['address', 'capacity'] }),
    entity('title', 'book|volume', 'title', {
      fields: ['language', 'stock', 'shelf'],
      refs: ['branch'],
      states: ['available', 'damaged', 'archived'],
      acts: [
        status('repair', 'damaged', 'available'),
        status('archive', ['available', 'damaged'], 'archived'),
        assign('move', 'branch'),
        adjust('restock', 'stock'),
      ],
      create: 'add',
    }),
    entity('loan', 'loan|lending', 'none', {
      fields: ['dueDate', 'condition'],
      refs: ['member', 'title'],
      states: ['active', 'overdue', 'returned', 'lost'],
      acts: [status('returnBack', ['active', 'overdue'], 'returned'), status('renew', 'overdue', 'active')],
      create: 'open',
    }),
    entity('hold', 'hold|waiting slot', 'none', {
      fields: ['date', 'channel'],
      refs: ['member', 'title'],
      states: ['pending', 'ready', 'cancelled'],
      acts: [status('prepare', 'pending', 'ready'), status('cancel', ['pending', 'ready'], 'cancelled')],
      create: 'request',
    }),
    entity('fine', 'fine|penalty', 'code', {
      fields: ['amount', 'reason'],
      refs: ['member'],
      states: ['unpaid', 'paid', 'disputed'],
      acts: [
        status('pay', ['unpaid', 'disputed'], 'paid'),
        status('contest', 'unpaid', 'disputed'),
        adjust('lower', 'amount'),
      ],
      create: 'issue',
    }),
    entity('reading', 'event|gathering', 'title', {
      fields: ['date', 'time', 'capacity'],
      refs: ['branch'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [status('cancel', 'planned', 'cancelled'), assign('move', 'branch')],
      create: 'plan',
      optional: true,
    }),
    entity('seat', 'seat booking|place card', 'none', {
      fields: ['party', 'channel'],
      refs: ['reading', 'member'],
      states: ['reserved', 'confirmed', 'cancelled'],
      acts: [status('confirm', 'reserved', 'confirmed'), status('cancel', ['reserved', 'confirmed'], 'cancelled')],
      create: 'book',
      optional: true,
    }),
    entity('desk', 'study room|quiet room', 'room', {
      fields: ['capacity', 'fee'],
      refs: ['branch'],
      states: ['available', 'reserved'],
      acts: [status('reserve', 'available', 'reserved'), status('release', 'reserved', 'available')],
      optional: true,
    }),
    entity('librarian', 'librarian|clerk', 'person', {
      fields: ['phone', 'shift'],
      refs: ['branch'],
      acts: [assign('reassign', 'branch')],
      create: 'hire',
      optional: true,
    }),
  ],
}
