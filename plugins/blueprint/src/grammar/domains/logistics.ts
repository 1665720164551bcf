import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const logistics: DomainBlueprint = {
  key: 'logistics',
  taxonomy: ['industry', 'logistics'],
  entities: [
    entity('client', 'client|sender|shipper', 'company', {
      fields: ['email', 'limit', 'tier'],
      acts: [adjust('raise', 'limit')],
      create: 'add',
    }),
    entity('depot', 'depot|hub|terminal', 'place', {
      fields: ['stock', 'capacity', 'phone'],
      acts: [transfer('relocate', 'stock'), adjust('restock', 'stock')],
    }),
    entity('driver', 'driver|courier', 'person', {
      fields: ['phone', 'hours', 'shift'],
      refs: ['depot'],
      states: ['available', 'occupied', 'blocked'],
      acts: [status('ban', ['available', 'occupied'], 'blocked'), adjust('log', 'hours'), assign('move', 'depot')],
      create: 'hire',
    }),
    entity('shipment', 'shipment|freight|consignment', 'code', {
      fields: ['weight', 'method', 'dueDate'],
      refs: ['client', 'driver'],
      states: ['pending', 'packed', 'dispatched', 'delivered', 'lost'],
      acts: [
        status('pack', 'pending', 'packed'),
        status('dispatch', 'packed', 'dispatched'),
        status('deliver', 'dispatched', 'delivered'),
        assign('reassign', 'driver'),
      ],
      create: 'register',
    }),
    entity('claim', 'claim|damage report', 'none', {
      fields: ['amount', 'reason', 'severity'],
      refs: ['shipment'],
      states: ['open', 'approved', 'rejected'],
      acts: [status('approve', 'open', 'approved'), status('reject', 'open', 'rejected'), adjust('lower', 'amount')],
      create: 'file',
    }),
    entity('vehicle', 'vehicle|truck|van', 'code', {
      fields: ['mileage', 'condition', 'capacity'],
      refs: ['depot'],
      states: ['available', 'damaged', 'archived'],
      acts: [
        status('repair', 'damaged', 'available'),
        status('archive', ['available', 'damaged'], 'archived'),
        adjust('add', 'mileage'),
      ],
      create: 'add',
    }),
    entity('route', 'route|run', 'title', {
      fields: ['date', 'duration'],
      refs: ['driver'],
      states: ['planned', 'active', 'completed'],
      acts: [status('start', 'planned', 'active'), status('complete', 'active', 'completed')],
      create: 'plan',
      optional: true,
    }),
    entity('stop', 'stop|halt point', 'none', {
      fields: ['time', 'address'],
      refs: ['route', 'client'],
      states: ['pending', 'served', 'cancelled'],
      acts: [status('serve', 'pending', 'served'), status('cancel', 'pending', 'cancelled')],
      create: 'add',
      optional: true,
    }),
    entity('invoice', 'invoice|freight bill', 'code', {
      fields: ['amount', 'dueDate', 'payment'],
      refs: ['client'],
      states: ['unpaid', 'overdue', 'paid'],
      acts: [status('pay', ['unpaid', 'overdue'], 'paid'), adjust('lower', 'amount')],
      create: 'issue',
      optional: true,
    }),
  ],
}
