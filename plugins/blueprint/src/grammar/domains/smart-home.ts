import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const smartHome: DomainBlueprint = {
  key: 'smart-home',
  taxonomy: ['living', 'smart home'],
  entities: [
    entity('zone', 'zone|living area', 'place', {
      fields: ['temperature', 'minutes'],
      acts: [transfer('transfer', 'minutes'), adjust('raise', 'temperature'), adjust('lower', 'temperature')],
      create: 'add',
    }),
    entity('device', 'device|appliance|gadget', 'device', {
      fields: ['brightness', 'mode', 'created'],
      refs: ['zone'],
      states: ['enabled', 'disabled', 'damaged'],
      acts: [
        status('activate', 'disabled', 'enabled'),
        status('deactivate', 'enabled', 'disabled'),
        status('repair', 'damaged', 'disabled'),
        assign('move', 'zone'),
        adjust('raise', 'brightness'),
      ],
      create: 'register',
    }),
    entity('resident', 'resident|occupant|tenant', 'person', {
      fields: ['phone', 'birthDate', 'visibility'],
      create: 'add',
    }),
    entity('routine', 'routine|automation|scene', 'title', {
      fields: ['time', 'duration'],
      refs: ['resident'],
      states: ['active', 'paused', 'archived'],
      acts: [
        status('pause', 'active', 'paused'),
        status('resume', 'paused', 'active'),
        status('archive', ['active', 'paused'], 'archived'),
      ],
      create: 'plan',
    }),
    entity('alert', 'alert|warning', 'none', {
      fields: ['severity', 'pastDate', 'time'],
      refs: ['device'],
      states: ['open', 'escalated', 'resolved'],
      acts: [status('resolve', ['open', 'escalated'], 'resolved'), status('escalate', 'open', 'escalated')],
      create: 'log',
    }),
    entity('door', 'entrance|door', 'room', {
      fields: ['condition'],
      refs: ['zone'],
      states: ['locked', 'unlocked'],
      acts: [status('lock', 'unlocked', 'locked'), status('unlock', 'locked', 'unlocked')],
    }),
    entity('pass', 'access pass|entry token', 'code', {
      fields: ['expiry', 'shift'],
      refs: ['resident', 'door'],
      states: ['active', 'frozen', 'expired'],
      acts: [
        status('freeze', 'active', 'frozen'),
        status('unfreeze', 'frozen', 'active'),
        status('renew', 'expired', 'active'),
      ],
      create: 'issue',
      optional: true,
    }),
    entity('meter', 'meter|counter', 'device', {
      fields: ['stock', 'pastDate'],
      refs: ['zone'],
      acts: [adjust('add', 'stock')],
      optional: true,
    }),
    entity('technician', 'technician|engineer', 'person', { fields: ['phone', 'fee', 'shift'], optional: true }),
    entity('visit', 'service visit|maintenance job', 'none', {
      fields: ['date', 'time', 'note'],
      refs: ['device', 'technician'],
      states: ['planned', 'confirmed', 'completed', 'cancelled'],
      acts: [
        status('confirm', 'planned', 'confirmed'),
        status('cancel', ['planned', 'confirmed'], 'cancelled'),
        assign('reassign', 'technician'),
      ],
      create: 'book',
      optional: true,
    }),
  ],
}
