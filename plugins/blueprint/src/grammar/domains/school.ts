import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const school: DomainBlueprint = {
  key: 'school',
  taxonomy: ['education', 'school'],
  entities: [
    entity('student', 'student|pupil|learner', 'person', {
      fields: ['email', 'birthDate', 'points'],
      states: ['active', 'frozen'],
      acts: [
        status('freeze', 'active', 'frozen'),
        status('unfreeze', 'frozen', 'active'),
        adjust('add', 'points'),
        transfer('share', 'points'),
      ],
      create: 'register',
    }),
    entity('teacher', 'teacher|lecturer|instructor', 'person', { fields: ['email', 'hours', 'phone'], create: 'hire' }),
    entity('course', 'course|subject', 'course', {
      fields: ['capacity', 'difficulty', 'startDate'],
      refs: ['teacher'],
      states: ['draft', 'published', 'archived'],
      acts: [
        status('publish', 'draft', 'published'),
        status('archive', 'published', 'archived'),
        assign('reassign', 'teacher'),
        adjust('raise', 'capacity'),
      ],
      create: 'plan',
    }),
    entity('enrolment', 'enrolment|course place', 'none', {
      fields: ['pastDate', 'payment'],
      refs: ['student', 'course'],
      states: ['pending', 'confirmed', 'withdrawn'],
      acts: [
        status('confirm', 'pending', 'confirmed'),
        status('withdraw', ['pending', 'confirmed'], 'withdrawn'),
        assign('move', 'course'),
      ],
      create: 'request',
    }),
    entity('exam', 'exam|test paper', 'code', {
      fields: ['date', 'time', 'duration'],
      refs: ['course'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [status('cancel', 'planned', 'cancelled'), adjust('raise', 'duration')],
      create: 'plan',
    }),
    entity('submission', 'submission|homework|essay', 'code', {
      fields: ['score', 'pastDate', 'topic'],
      refs: ['student', 'course'],
      states: ['submitted', 'graded', 'returned'],
      acts: [
        status('grade', 'submitted', 'graded'),
        status('returnBack', 'graded', 'returned'),
        adjust('raise', 'score'),
      ],
      create: 'file',
    }),
    entity('fee', 'fee note|tuition bill', 'none', {
      fields: ['amount', 'dueDate'],
      refs: ['student'],
      states: ['unpaid', 'paid', 'refunded'],
      acts: [status('pay', 'unpaid', 'paid'), status('refund', 'paid', 'refunded'), adjust('lower', 'amount')],
      create: 'issue',
      optional: true,
    }),
    entity('classroom', 'classroom|lecture room', 'room', {
      fields: ['capacity', 'condition'],
      states: ['available', 'reserved', 'dirty'],
      acts: [status('reserve', 'available', 'reserved'), status('clean', 'dirty', 'available')],
      optional: true,
    }),
    entity('club', 'club|society', 'team', {
      fields: ['budget', 'shift'],
      refs: ['teacher'],
      states: ['active', 'closed'],
      acts: [status('close', 'active', 'closed'), transfer('share', 'budget'), assign('reassign', 'teacher')],
      create: 'open',
      optional: true,
    }),
  ],
}
