import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const rental: DomainBlueprint = {
  key: 'rental',
  taxonomy: ['mobility', 'rental'],
  entities: [
    entity('customer', 'customer|hirer', 'person', {
      fields: ['phone', 'points', 'birthDate'],
      states: ['pending', 'verified', 'blocked'],
      acts: [
        status('verify', 'pending', 'verified'),
        status('ban', ['pending', 'verified'], 'blocked'),
        adjust('add', 'points'),
        transfer('transfer', 'points'),
      ],
      create: 'register',
    }),
    entity('station', 'station|pick-up point', 'place', { fields: ['capacity', 'address', 'phone'] }),
    entity('vehicle', 'vehicle|car', 'code', {
      fields: ['mileage', 'color', 'price'],
      refs: ['station'],
      states: ['available', 'reserved', 'damaged', 'dirty'],
      acts: [
        status('repair', 'damaged', 'available'),
        status('clean', 'dirty', 'available'),
        status('reserve', 'available', 'reserved'),
        assign('move', 'station'),
        adjust('add', 'mileage'),
      ],
      create: 'add',
    }),
    entity('rental', 'rental|hire', 'code', {
      fields: ['startDate', 'endDate', 'coverage'],
      refs: ['customer', 'vehicle'],
      states: ['reserved', 'active', 'returned', 'cancelled'],
      acts: [
        status('start', 'reserved', 'active'),
        status('returnBack', 'active', 'returned'),
        status('cancel', 'reserved', 'cancelled'),
        assign('move', 'vehicle'),
      ],
      create: 'book',
    }),
    entity('penalty', 'penalty|fine', 'none', {
      fields: ['amount', 'reason', 'dueDate'],
      refs: ['rental'],
      states: ['unpaid', 'disputed', 'paid'],
      acts: [
        status('pay', ['unpaid', 'disputed'], 'paid'),
        status('contest', 'unpaid', 'disputed'),
        adjust('lower', 'amount'),
      ],
      create: 'issue',
    }),
    entity('mechanic', 'mechanic|workshop hand', 'person', {
      fields: ['phone', 'hours', 'shift'],
      refs: ['station'],
      acts: [adjust('log', 'hours'), assign('reassign', 'station')],
      create: 'hire',
    }),
    entity('service', 'service job|overhaul', 'none', {
      fields: ['date', 'priority', 'fee'],
      refs: ['vehicle', 'mechanic'],
      states: ['planned', 'active', 'completed'],
      acts: [
        status('start', 'planned', 'active'),
        status('complete', 'active', 'completed'),
        assign('assign', 'mechanic'),
      ],
      create: 'plan',
      optional: true,
    }),
    entity('extra', 'extra|add-on', 'product', {
      fields: ['price', 'stock'],
      states: ['published', 'hidden'],
      acts: [status('hide', 'published', 'hidden'), adjust('restock', 'stock')],
      create: 'add',
      optional: true,
    }),
    entity('damage', 'damage note|scratch report', 'none', {
      fields: ['severity', 'pastDate', 'amount'],
      refs: ['vehicle'],
      states: ['open', 'inspected', 'repaired'],
      acts: [status('inspect', 'open', 'inspected'), status('repair', ['open', 'inspected'], 'repaired')],
      create: 'log',
      optional: true,
    }),
  ],
}
