import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const property: DomainBlueprint = {
  key: 'property',
  taxonomy: ['living', 'property'],
  entities: [
    entity('tenant', 'tenant|renter|lodger', 'person', {
      fields: ['phone', 'email', 'balance'],
      acts: [adjust('charge', 'balance'), adjust('topUp', 'balance'), transfer('transfer', 'balance')],
      create: 'register',
    }),
    entity('building', 'building|house|block', 'place', {
      fields: ['address', 'budget'],
      acts: [adjust('spend', 'budget')],
    }),
    entity('unit', 'unit|flat|apartment', 'room', {
      fields: ['rent', 'size', 'condition'],
      refs: ['building'],
      states: ['available', 'occupied', 'reserved'],
      acts: [
        status('reserve', 'available', 'reserved'),
        status('release', ['occupied', 'reserved'], 'available'),
        adjust('raise', 'rent'),
      ],
      create: 'add',
    }),
    entity('lease', 'lease|rental contract', 'code', {
      fields: ['deposit', 'endDate'],
      refs: ['tenant', 'unit'],
      states: ['draft', 'signed', 'terminated', 'expired'],
      acts: [
        status('sign', 'draft', 'signed'),
        status('terminate', 'signed', 'terminated'),
        status('renew', 'expired', 'signed'),
      ],
      create: 'open',
    }),
    entity('contractor', 'contractor|craftsman', 'company', { fields: ['phone', 'fee'], create: 'add' }),
    entity('repair', 'repair job|work order', 'none', {
      fields: ['priority', 'reason', 'date'],
      refs: ['unit', 'contractor'],
      states: ['open', 'planned', 'completed', 'cancelled'],
      acts: [
        status('complete', ['open', 'planned'], 'completed'),
        status('cancel', 'open', 'cancelled'),
        assign('assign', 'contractor'),
      ],
      create: 'request',
    }),
    entity('payment', 'payment|rent receipt', 'code', {
      fields: ['amount', 'dueDate', 'payment'],
      refs: ['lease'],
      states: ['unpaid', 'overdue', 'paid'],
      acts: [status('pay', ['unpaid', 'overdue'], 'paid')],
      create: 'log',
      optional: true,
    }),
    entity('viewing', 'viewing|inspection tour', 'none', {
      fields: ['date', 'time', 'party'],
      refs: ['unit'],
      states: ['planned', 'confirmed', 'cancelled'],
      acts: [status('confirm', 'planned', 'confirmed'), status('cancel', ['planned', 'confirmed'], 'cancelled')],
      create: 'book',
      optional: true,
    }),
    entity('parking', 'parking bay|garage slot', 'code', {
      fields: ['fee', 'size'],
      refs: ['building', 'tenant'],
      states: ['available', 'occupied', 'blocked'],
      acts: [status('release', ['occupied', 'blocked'], 'available'), assign('assign', 'tenant')],
      optional: true,
    }),
  ],
}
