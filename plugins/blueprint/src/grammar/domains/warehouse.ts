import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const warehouse: DomainBlueprint = {
  key: 'warehouse',
  taxonomy: ['industry', 'warehouse'],
  entities: [
    entity('site', 'warehouse|storehouse', 'place', {
      fields: ['capacity', 'budget', 'phone'],
      acts: [adjust('spend', 'budget')],
    }),
    entity('item', 'item|article|product', 'product', {
      fields: ['price', 'weight', 'size'],
      states: ['active', 'archived'],
      acts: [status('archive', 'active', 'archived'), adjust('raise', 'price')],
      create: 'add',
    }),
    entity('lot', 'lot|stock batch', 'code', {
      fields: ['stock', 'shelf', 'expiry'],
      refs: ['site', 'item'],
      states: ['available', 'locked', 'damaged'],
      acts: [
        status('lock', 'available', 'locked'),
        status('unlock', 'locked', 'available'),
        adjust('restock', 'stock'),
        adjust('deduct', 'stock'),
        transfer('relocate', 'stock'),
        assign('move', 'site'),
      ],
      create: 'register',
    }),
    entity('supplier', 'supplier|vendor', 'company', {
      fields: ['email', 'limit'],
      states: ['active', 'blocked'],
      acts: [status('ban', 'active', 'blocked'), adjust('raise', 'limit')],
      create: 'add',
    }),
    entity('purchase', 'purchase order|buy order', 'code', {
      fields: ['quantity', 'dueDate', 'amount'],
      refs: ['supplier', 'item'],
      states: ['draft', 'submitted', 'received', 'cancelled'],
      acts: [
        status('submit', 'draft', 'submitted'),
        status('receive', 'submitted', 'received'),
        status('cancel', ['draft', 'submitted'], 'cancelled'),
      ],
      create: 'place',
    }),
    entity('picker', 'picker|storekeeper', 'person', {
      fields: ['shift', 'hours', 'phone'],
      refs: ['site'],
      acts: [adjust('log', 'hours'), assign('reassign', 'site')],
      create: 'hire',
    }),
    entity('pick', 'pick list|pick job', 'none', {
      fields: ['priority', 'quantity', 'date'],
      refs: ['picker', 'lot'],
      states: ['pending', 'active', 'completed'],
      acts: [
        status('start', 'pending', 'active'),
        status('complete', 'active', 'completed'),
        assign('reassign', 'picker'),
      ],
      create: 'issue',
      optional: true,
    }),
    entity('count', 'stocktake|inventory check', 'none', {
      fields: ['pastDate', 'score', 'note'],
      refs: ['site'],
      states: ['planned', 'completed', 'verified'],
      acts: [status('complete', 'planned', 'completed'), status('verify', 'completed', 'verified')],
      create: 'plan',
      optional: true,
    }),
    entity('forklift', 'forklift|lift truck', 'code', {
      fields: ['hours', 'condition'],
      refs: ['site'],
      states: ['available', 'occupied', 'damaged'],
      acts: [status('release', 'occupied', 'available'), status('repair', 'damaged', 'available')],
      optional: true,
    }),
  ],
}
