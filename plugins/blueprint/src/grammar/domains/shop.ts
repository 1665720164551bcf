import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const shop: DomainBlueprint = {
  key: 'shop',
  taxonomy: ['commerce', 'shop'],
  entities: [
    entity('customer', 'customer|buyer|shopper', 'person', {
      fields: ['email', 'points', 'tier'],
      acts: [adjust('add', 'points'), transfer('share', 'points')],
      create: 'register',
    }),
    entity('product', 'product|article|item', 'product', {
      fields: ['price', 'stock', 'color'],
      states: ['draft', 'published', 'archived'],
      acts: [
        status('publish', 'draft', 'published'),
        status('archive', 'published', 'archived'),
        adjust('restock', 'stock'),
        adjust('lower', 'price'),
      ],
      create: 'add',
    }),
    entity('order', 'order|purchase', 'code', {
      fields: ['quantity', 'date', 'payment'],
      refs: ['customer', 'product'],
      states: ['pending', 'paid', 'dispatched', 'cancelled', 'refunded'],
      acts: [
        status('cancel', ['pending', 'paid'], 'cancelled'),
        status('ship', 'paid', 'dispatched'),
        status('refund', ['paid', 'dispatched'], 'refunded'),
      ],
      create: 'place',
    }),
    entity('parcel', 'parcel|package', 'code', {
      fields: ['weight', 'method', 'dueDate'],
      refs: ['order', 'carrier'],
      states: ['packed', 'dispatched', 'delivered', 'lost'],
      acts: [status('dispatch', 'packed', 'dispatched'), assign('route', 'carrier')],
      create: 'log',
    }),
    entity('carrier', 'carrier|courier', 'company', { fields: ['phone', 'fee'] }),
    entity('review', 'review|rating', 'none', {
      fields: ['score', 'pastDate', 'visibility'],
      refs: ['product', 'customer'],
      states: ['pending', 'published', 'hidden'],
      acts: [status('publish', 'pending', 'published'), status('hide', ['pending', 'published'], 'hidden')],
      create: 'add',
    }),
    entity('return', 'return request|return case', 'none', {
      fields: ['reason', 'amount'],
      refs: ['order'],
      states: ['open', 'approved', 'rejected'],
      acts: [status('approve', 'open', 'approved'), status('reject', 'open', 'rejected')],
      create: 'file',
      optional: true,
    }),
    entity('voucher', 'voucher|coupon', 'code', {
      fields: ['discount', 'expiry'],
      refs: ['customer'],
      states: ['active', 'disabled'],
      acts: [status('deactivate', 'active', 'disabled'), status('activate', 'disabled', 'active')],
      create: 'issue',
      optional: true,
    }),
    entity('vendor', 'vendor|supplier', 'company', {
      fields: ['email', 'address'],
      states: ['active', 'blocked'],
      acts: [status('ban', 'active', 'blocked')],
      create: 'add',
      optional: true,
    }),
    entity('delivery', 'supply batch|consignment', 'none', {
      fields: ['quantity', 'dueDate', 'amount'],
      refs: ['vendor', 'product'],
      states: ['planned', 'received', 'cancelled'],
      acts: [status('receive', 'planned', 'received'), status('cancel', 'planned', 'cancelled')],
      create: 'plan',
      optional: true,
    }),
  ],
}
