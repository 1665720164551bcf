import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const restaurant: DomainBlueprint = {
  key: 'restaurant',
  taxonomy: ['hospitality', 'restaurant'],
  entities: [
    entity('guest', 'guest|diner', 'person', {
      fields: ['phone', 'points', 'dietary'],
      acts: [adjust('add', 'points'), transfer('share', 'points')],
      create: 'register',
    }),
    entity('table', 'table|seating spot', 'room', {
      fields: ['capacity', 'visibility'],
      states: ['available', 'occupied', 'dirty'],
      acts: [status('clean', 'dirty', 'available'), status('release', 'occupied', 'dirty')],
    }),
    entity('reservation', 'reservation|table booking', 'code', {
      fields: ['date', 'time', 'party'],
      refs: ['guest', 'table'],
      states: ['pending', 'confirmed', 'checkedIn', 'cancelled'],
      acts: [
        status('confirm', 'pending', 'confirmed'),
        status('cancel', ['pending', 'confirmed'], 'cancelled'),
        assign('move', 'table'),
        adjust('raise', 'party'),
      ],
      create: 'book',
    }),
    entity('dish', 'dish|meal|plate', 'product', {
      fields: ['price', 'dietary', 'stock'],
      states: ['draft', 'published', 'hidden', 'featured'],
      acts: [
        status('feature', 'published', 'featured'),
        status('hide', ['published', 'featured'], 'hidden'),
        adjust('raise', 'price'),
        adjust('restock', 'stock'),
      ],
      create: 'add',
    }),
    entity('order', 'order|ticket', 'none', {
      fields: ['quantity', 'size'],
      refs: ['reservation', 'dish'],
      states: ['pending', 'ready', 'served', 'cancelled'],
      acts: [
        status('prepare', 'pending', 'ready'),
        status('serve', 'ready', 'served'),
        status('cancel', 'pending', 'cancelled'),
      ],
      create: 'place',
    }),
    entity('staff', 'waiter|server', 'person', {
      fields: ['phone', 'salary', 'hours'],
      acts: [adjust('log', 'hours'), adjust('raise', 'salary')],
      create: 'hire',
    }),
    entity('duty', 'duty|work slot', 'none', {
      fields: ['date', 'shift'],
      refs: ['staff'],
      states: ['planned', 'confirmed', 'cancelled'],
      acts: [
        status('confirm', 'planned', 'confirmed'),
        status('cancel', 'planned', 'cancelled'),
        assign('reassign', 'staff'),
      ],
      create: 'plan',
      optional: true,
    }),
    entity('supplier', 'supplier|wholesaler', 'company', { fields: ['phone', 'email'], create: 'add', optional: true }),
    entity('delivery', 'delivery|goods receipt', 'code', {
      fields: ['weight', 'dueDate', 'amount'],
      refs: ['supplier'],
      states: ['planned', 'received', 'rejected'],
      acts: [status('receive', 'planned', 'received'), status('reject', 'planned', 'rejected')],
      create: 'plan',
      optional: true,
    }),
    entity('voucher', 'voucher|gift card', 'code', {
      fields: ['balance', 'expiry'],
      refs: ['guest'],
      states: ['active', 'expired'],
      acts: [status('renew', 'expired', 'active'), adjust('spend', 'balance'), transfer('send', 'balance')],
      create: 'issue',
      optional: true,
    }),
  ],
}
