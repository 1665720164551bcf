import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const travel: DomainBlueprint = {
  key: 'travel',
  taxonomy: ['leisure', 'travel'],
  entities: [
    entity('traveller', 'traveller|passenger|holidaymaker', 'person', {
      fields: ['email', 'points', 'birthDate'],
      acts: [adjust('add', 'points'), transfer('transfer', 'points')],
      create: 'register',
    }),
    entity('hotel', 'hotel|guesthouse|inn', 'place', { fields: ['price', 'phone', 'capacity'] }),
    entity('stay', 'stay|hotel booking', 'code', {
      fields: ['startDate', 'party'],
      refs: ['traveller', 'hotel'],
      states: ['reserved', 'confirmed', 'checkedIn', 'checkedOut', 'cancelled'],
      acts: [
        status('confirm', 'reserved', 'confirmed'),
        status('checkIn', 'confirmed', 'checkedIn'),
        status('checkOut', 'checkedIn', 'checkedOut'),
        status('cancel', ['reserved', 'confirmed'], 'cancelled'),
        assign('move', 'hotel'),
      ],
      create: 'book',
    }),
    entity('flight', 'flight|connection', 'code', {
      fields: ['date', 'time', 'price'],
      states: ['planned', 'boarding', 'completed', 'cancelled'],
      acts: [
        status('board', 'planned', 'boarding'),
        status('cancel', 'planned', 'cancelled'),
        adjust('lower', 'price'),
      ],
    }),
    entity('ticket', 'ticket|fare', 'none', {
      fields: ['seat', 'amount'],
      refs: ['traveller', 'flight'],
      states: ['unpaid', 'paid', 'refunded'],
      acts: [status('pay', 'unpaid', 'paid'), status('refund', 'paid', 'refunded'), assign('book', 'flight')],
      create: 'issue',
    }),
    entity('guide', 'guide|tour leader', 'person', {
      fields: ['language', 'phone', 'hours'],
      acts: [adjust('log', 'hours')],
      create: 'hire',
      optional: true,
    }),
    entity('tour', 'tour|excursion|day trip', 'title', {
      fields: ['date', 'price', 'difficulty'],
      refs: ['guide'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [status('cancel', 'planned', 'cancelled'), assign('reassign', 'guide'), adjust('raise', 'price')],
      create: 'plan',
      optional: true,
    }),
    entity('bag', 'bag|suitcase', 'code', {
      fields: ['weight', 'color'],
      refs: ['ticket'],
      states: ['received', 'lost', 'delivered'],
      acts: [status('deliver', ['received', 'lost'], 'delivered')],
      create: 'log',
      optional: true,
    }),
    entity('feedback', 'complaint|grievance', 'none', {
      fields: ['reason', 'amount', 'priority'],
      refs: ['stay'],
      states: ['open', 'resolved', 'rejected'],
      acts: [status('resolve', 'open', 'resolved'), status('reject', 'open', 'rejected')],
      create: 'file',
      optional: true,
    }),
  ],
}
