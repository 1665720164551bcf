import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const staffing: DomainBlueprint = {
  key: 'staffing',
  taxonomy: ['business', 'human resources'],
  entities: [
    entity('department', 'department|division', 'team', {
      fields: ['budget', 'capacity'],
      acts: [transfer('relocate', 'budget'), adjust('spend', 'budget')],
    }),
    entity('employee', 'employee|staff member', 'person', {
      fields: ['email', 'salary', 'startDate'],
      refs: ['department'],
      states: ['active', 'frozen', 'terminated'],
      acts: [
        status('terminate', ['active', 'frozen'], 'terminated'),
        status('freeze', 'active', 'frozen'),
        adjust('raise', 'salary'),
        assign('move', 'department'),
      ],
      create: 'hire',
    }),
    entity('vacancy', 'vacancy|job opening', 'code', {
      fields: ['salary', 'dueDate'],
      refs: ['department'],
      states: ['draft', 'published', 'closed'],
      acts: [status('publish', 'draft', 'published'), status('close', 'published', 'closed')],
      create: 'open',
    }),
    entity('candidate', 'candidate|applicant', 'person', {
      fields: ['email', 'phone', 'language'],
      create: 'register',
    }),
    entity('application', 'application|job bid', 'none', {
      fields: ['score', 'pastDate', 'channel'],
      refs: ['candidate', 'vacancy'],
      states: ['submitted', 'shortlisted', 'accepted', 'rejected', 'withdrawn'],
      acts: [
        status('shortlist', 'submitted', 'shortlisted'),
        status('accept', 'shortlisted', 'accepted'),
        status('reject', ['submitted', 'shortlisted'], 'rejected'),
        assign('move', 'vacancy'),
      ],
      create: 'log',
    }),
    entity('leave', 'leave request|holiday request', 'none', {
      fields: ['startDate', 'quantity', 'reason'],
      refs: ['employee'],
      states: ['pending', 'approved', 'rejected', 'cancelled'],
      acts: [
        status('approve', 'pending', 'approved'),
        status('reject', 'pending', 'rejected'),
        status('cancel', ['pending', 'approved'], 'cancelled'),
      ],
      create: 'file',
    }),
    entity('interview', 'interview|job talk', 'code', {
      fields: ['date', 'time', 'duration'],
      refs: ['candidate', 'employee'],
      states: ['planned', 'completed', 'cancelled'],
      acts: [
        status('complete', 'planned', 'completed'),
        status('cancel', 'planned', 'cancelled'),
        assign('book', 'employee'),
      ],
      create: 'plan',
      optional: true,
    }),
    entity('course', 'training|workshop', 'course', {
      fields: ['capacity', 'price', 'date'],
      states: ['planned', 'published', 'cancelled'],
      acts: [status('publish', 'planned', 'published'), adjust('lower', 'price')],
      create: 'add',
      optional: true,
    }),
    entity('laptop', 'laptop|computer', 'code', {
      fields: ['condition', 'price'],
      refs: ['employee'],
      states: ['available', 'damaged', 'lost'],
      acts: [status('repair', 'damaged', 'available'), assign('assign', 'employee')],
      create: 'add',
      optional: true,
    }),
  ],
}
