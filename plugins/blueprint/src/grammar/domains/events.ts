import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const events: DomainBlueprint = {
  key: 'events',
  taxonomy: ['culture', 'events'],
  entities: [
    entity('attendee', 'attendee|visitor|participant', 'person', {
      fields: ['email', 'phone', 'dietary'],
      create: 'register',
    }),
    entity('venue', 'venue|hall|location', 'place', {
      fields: ['capacity', 'fee', 'address'],
      states: ['available', 'reserved', 'closed'],
      acts: [status('reserve', 'available', 'reserved'), status('release', 'reserved', 'available')],
    }),
    entity('event', 'event|occasion', 'title', {
      fields: ['date', 'price', 'budget'],
      refs: ['venue'],
      states: ['draft', 'published', 'completed', 'cancelled'],
      acts: [
        status('publish', 'draft', 'published'),
        status('cancel', ['draft', 'published'], 'cancelled'),
        assign('move', 'venue'),
        transfer('relocate', 'budget'),
        adjust('lower', 'price'),
      ],
      create: 'plan',
    }),
    entity('ticket', 'ticket|admission', 'code', {
      fields: ['seat', 'amount', 'payment'],
      refs: ['attendee', 'event'],
      states: ['reserved', 'paid', 'checkedIn', 'refunded'],
      acts: [
        status('pay', 'reserved', 'paid'),
        status('checkIn', 'paid', 'checkedIn'),
        status('refund', 'paid', 'refunded'),
      ],
      create: 'issue',
    }),
    entity('speaker', 'speaker|performer|artist', 'person', {
      fields: ['email', 'fee', 'language'],
      acts: [adjust('raise', 'fee')],
      create: 'add',
    }),
    entity('session', 'session|act|slot', 'none', {
      fields: ['time', 'duration', 'visibility'],
      refs: ['event', 'speaker'],
      states: ['planned', 'confirmed', 'cancelled'],
      acts: [
        status('confirm', 'planned', 'confirmed'),
        status('cancel', ['planned', 'confirmed'], 'cancelled'),
        assign('book', 'speaker'),
      ],
      create: 'plan',
    }),
    entity('sponsor', 'sponsor|partner', 'company', {
      fields: ['budget', 'tier', 'email'],
      acts: [adjust('spend', 'budget')],
      create: 'add',
      optional: true,
    }),
    entity('booth', 'booth|stand', 'room', {
      fields: ['size', 'price'],
      refs: ['event', 'sponsor'],
      states: ['available', 'occupied'],
      acts: [status('release', 'occupied', 'available'), assign('assign', 'sponsor')],
      optional: true,
    }),
    entity('helper', 'helper|volunteer', 'person', {
      fields: ['phone', 'shift', 'hours'],
      refs: ['event'],
      states: ['pending', 'accepted', 'rejected'],
      acts: [
        status('accept', 'pending', 'accepted'),
        status('reject', 'pending', 'rejected'),
        adjust('log', 'hours'),
        assign('move', 'event'),
      ],
      create: 'register',
      optional: true,
    }),
  ],
}
