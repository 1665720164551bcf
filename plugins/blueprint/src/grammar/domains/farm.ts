import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const farm: DomainBlueprint = {
  key: 'farm',
  taxonomy: ['industry', 'farm'],
  entities: [
    entity('field', 'field|plot|parcel of land', 'place', {
      fields: ['acreage', 'condition'],
      states: ['available', 'occupied'],
      acts: [status('release', 'occupied', 'available')],
      create: 'add',
    }),
    entity('worker', 'farmhand|field worker', 'person', {
      fields: ['phone', 'hours', 'salary'],
      acts: [adjust('log', 'hours'), adjust('raise', 'salary')],
      create: 'hire',
    }),
    entity('crop', 'crop|planting', 'none', {
      fields: ['startDate', 'quantity', 'size'],
      refs: ['field', 'worker'],
      states: ['planned', 'growing', 'harvested', 'damaged'],
      acts: [
        status('harvest', 'growing', 'harvested'),
        status('start', 'planned', 'growing'),
        assign('reassign', 'worker'),
        assign('move', 'field'),
      ],
      create: 'plan',
    }),
    entity('store', 'silo|barn', 'room', {
      fields: ['stock', 'capacity'],
      acts: [transfer('relocate', 'stock'), adjust('add', 'stock'), adjust('deduct', 'stock')],
    }),
    entity('buyer', 'buyer|trader', 'company', {
      fields: ['email', 'limit', 'payment'],
      acts: [adjust('raise', 'limit')],
      create: 'add',
    }),
    entity('sale', 'sale|delivery order', 'code', {
      fields: ['amount', 'quantity', 'date'],
      refs: ['buyer', 'store'],
      states: ['pending', 'packed', 'delivered', 'cancelled'],
      acts: [
        status('pack', 'pending', 'packed'),
        status('deliver', 'packed', 'delivered'),
        status('cancel', ['pending', 'packed'], 'cancelled'),
      ],
      create: 'place',
    }),
    entity('machine', 'machine|tractor', 'code', {
      fields: ['hours', 'mode', 'price'],
      states: ['available', 'occupied', 'damaged'],
      acts: [
        status('repair', 'damaged', 'available'),
        status('reserve', 'available', 'occupied'),
        adjust('add', 'hours'),
      ],
      create: 'add',
      optional: true,
    }),
    entity('treatment', 'treatment|spraying', 'none', {
      fields: ['date', 'note', 'weight'],
      refs: ['crop', 'worker'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [status('complete', 'planned', 'completed'), status('cancel', 'planned', 'cancelled')],
      create: 'plan',
      optional: true,
    }),
    entity('animal', 'animal|head of livestock', 'code', {
      fields: ['weight', 'birthDate', 'category'],
      refs: ['field'],
      states: ['active', 'flagged', 'inspected'],
      acts: [
        status('inspect', ['active', 'flagged'], 'inspected'),
        status('flag', 'active', 'flagged'),
        assign('move', 'field'),
      ],
      create: 'register',
      optional: true,
    }),
  ],
}
