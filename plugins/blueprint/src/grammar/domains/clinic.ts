import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const clinic: DomainBlueprint = {
  key: 'clinic',
  taxonomy: ['health', 'clinic'],
  entities: [
    entity('patient', 'patient|client', 'person', {
      fields: ['phone', 'birthDate', 'balance'],
      acts: [adjust('topUp', 'balance'), transfer('transfer', 'balance')],
      create: 'register',
    }),
    entity('doctor', 'doctor|physician|practitioner', 'person', {
      fields: ['email', 'fee', 'language'],
      states: ['available', 'occupied'],
      acts: [status('release', 'occupied', 'available')],
    }),
    entity('appointment', 'appointment|visit|consultation', 'code', {
      fields: ['date', 'time'],
      refs: ['patient', 'doctor'],
      states: ['pending', 'confirmed', 'checkedIn', 'completed', 'cancelled'],
      acts: [
        status('confirm', 'pending', 'confirmed'),
        status('checkIn', ['pending', 'confirmed'], 'checkedIn'),
        status('cancel', ['pending', 'confirmed'], 'cancelled'),
        assign('reassign', 'doctor'),
      ],
      create: 'book',
    }),
    entity('prescription', 'prescription|script', 'none', {
      fields: ['symptom', 'quantity', 'expiry'],
      refs: ['patient', 'doctor'],
      states: ['active', 'paused', 'expired'],
      acts: [status('renew', 'expired', 'active'), status('pause', 'active', 'paused'), adjust('lower', 'quantity')],
      create: 'issue',
    }),
    entity('bill', 'bill|invoice', 'code', {
      fields: ['amount', 'dueDate', 'payment'],
      refs: ['patient'],
      states: ['unpaid', 'overdue', 'paid', 'refunded'],
      acts: [status('pay', ['unpaid', 'overdue'], 'paid'), status('refund', 'paid', 'refunded')],
      create: 'issue',
    }),
    entity('ward', 'ward|unit', 'place', {
      fields: ['capacity', 'phone'],
      states: ['open', 'closed'],
      acts: [adjust('lower', 'capacity')],
      optional: true,
    }),
    entity('bed', 'bed|cot', 'room', {
      fields: ['condition'],
      refs: ['ward'],
      states: ['available', 'occupied', 'dirty'],
      acts: [status('clean', 'dirty', 'available'), status('reserve', 'available', 'occupied'), assign('move', 'ward')],
      optional: true,
    }),
    entity('labTest', 'lab test|analysis', 'none', {
      fields: ['priority', 'pastDate', 'score'],
      refs: ['appointment'],
      states: ['pending', 'completed', 'rejected'],
      acts: [status('complete', 'pending', 'completed'), status('reject', 'pending', 'rejected')],
      create: 'request',
      optional: true,
    }),
    entity('supply', 'supply item|medical item', 'product', {
      fields: ['stock', 'price', 'shelf'],
      acts: [adjust('restock', 'stock'), transfer('relocate', 'stock')],
      create: 'add',
      optional: true,
    }),
  ],
}
