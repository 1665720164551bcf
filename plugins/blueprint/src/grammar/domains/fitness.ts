import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const fitness: DomainBlueprint = {
  key: 'fitness',
  taxonomy: ['leisure', 'fitness'],
  entities: [
    entity('member', 'member|athlete', 'person', {
      fields: ['phone', 'points', 'tier'],
      states: ['active', 'frozen', 'expired'],
      acts: [
        status('freeze', 'active', 'frozen'),
        status('renew', 'expired', 'active'),
        adjust('add', 'points'),
        transfer('share', 'points'),
      ],
      create: 'register',
    }),
    entity('trainer', 'trainer|coach', 'person', {
      fields: ['email', 'fee', 'hours'],
      acts: [adjust('log', 'hours')],
      create: 'hire',
    }),
    entity('lesson', 'class|group lesson', 'course', {
      fields: ['date', 'time', 'capacity'],
      refs: ['trainer'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [
        status('cancel', 'planned', 'cancelled'),
        status('complete', 'planned', 'completed'),
        assign('reassign', 'trainer'),
        adjust('raise', 'capacity'),
      ],
      create: 'plan',
    }),
    entity('booking', 'booking|spot', 'none', {
      fields: ['payment', 'created'],
      refs: ['member', 'lesson'],
      states: ['reserved', 'confirmed', 'checkedIn', 'cancelled'],
      acts: [
        status('confirm', 'reserved', 'confirmed'),
        status('checkIn', 'confirmed', 'checkedIn'),
        status('cancel', ['reserved', 'confirmed'], 'cancelled'),
        assign('move', 'lesson'),
      ],
      create: 'book',
    }),
    entity('plan', 'workout plan|training schedule', 'title', {
      fields: ['duration', 'difficulty'],
      refs: ['member', 'trainer'],
      states: ['draft', 'active', 'completed'],
      acts: [status('start', 'draft', 'active'), status('complete', 'active', 'completed')],
      create: 'add',
    }),
    entity('locker', 'locker|storage box', 'room', {
      fields: ['size', 'fee'],
      refs: ['member'],
      states: ['locked', 'unlocked', 'damaged'],
      acts: [
        status('unlock', 'locked', 'unlocked'),
        status('lock', 'unlocked', 'locked'),
        status('repair', 'damaged', 'unlocked'),
      ],
      optional: true,
    }),
    entity('machine', 'machine|training device', 'product', {
      fields: ['condition', 'weight', 'expiry'],
      states: ['available', 'damaged', 'inspected'],
      acts: [status('repair', 'damaged', 'available'), status('inspect', 'available', 'inspected')],
      create: 'add',
      optional: true,
    }),
    entity('dues', 'fee invoice|membership bill', 'code', {
      fields: ['amount', 'dueDate'],
      refs: ['member'],
      states: ['unpaid', 'paid', 'refunded'],
      acts: [status('pay', 'unpaid', 'paid'), status('refund', 'paid', 'refunded'), adjust('lower', 'amount')],
      create: 'issue',
    }),
    entity('measurement', 'measurement|body check', 'none', {
      fields: ['weight', 'pastDate', 'score'],
      refs: ['member'],
      create: 'log',
      optional: true,
    }),
  ],
}
