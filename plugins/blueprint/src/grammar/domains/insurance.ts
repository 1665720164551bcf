import { adjust, assign, type DomainBlueprint, entity, status, transfer } from '../domain.ts'

export const insurance: DomainBlueprint = {
  key: 'insurance',
  taxonomy: ['finance', 'insurance'],
  entities: [
    entity('holder', 'policyholder|insured person', 'person', {
      fields: ['email', 'phone', 'birthDate'],
      create: 'register',
    }),
    entity('broker', 'broker|insurance agent', 'person', {
      fields: ['email', 'points'],
      acts: [adjust('add', 'points'), transfer('share', 'points')],
    }),
    entity('policy', 'policy|cover', 'code', {
      fields: ['premium', 'coverage', 'endDate'],
      refs: ['holder', 'broker'],
      states: ['draft', 'active', 'frozen', 'expired', 'terminated'],
      acts: [
        status('activate', 'draft', 'active'),
        status('freeze', 'active', 'frozen'),
        status('renew', 'expired', 'active'),
        status('terminate', ['active', 'frozen'], 'terminated'),
        adjust('raise', 'premium'),
        assign('reassign', 'broker'),
      ],
      create: 'open',
    }),
    entity('expert', 'assessor|loss expert', 'person', {
      fields: ['phone', 'hours', 'language'],
      acts: [adjust('log', 'hours')],
    }),
    entity('claim', 'claim|loss report', 'code', {
      fields: ['amount', 'reason', 'pastDate'],
      refs: ['policy', 'expert'],
      states: ['submitted', 'inspected', 'approved', 'rejected', 'paid'],
      acts: [
        status('inspect', 'submitted', 'inspected'),
        status('approve', 'inspected', 'approved'),
        status('reject', ['submitted', 'inspected'], 'rejected'),
        status('pay', 'approved', 'paid'),
        assign('assign', 'expert'),
      ],
      create: 'file',
    }),
    entity('document', 'document|attachment', 'none', {
      fields: ['category', 'pastDate', 'visibility'],
      refs: ['claim'],
      states: ['pending', 'verified', 'rejected'],
      acts: [status('verify', 'pending', 'verified'), status('reject', 'pending', 'rejected')],
      create: 'add',
    }),
    entity('payment', 'premium payment|instalment', 'none', {
      fields: ['amount', 'dueDate', 'payment'],
      refs: ['policy'],
      states: ['unpaid', 'overdue', 'paid'],
      acts: [status('pay', ['unpaid', 'overdue'], 'paid')],
      create: 'log',
      optional: true,
    }),
    entity('vehicle', 'vehicle|car', 'code', {
      fields: ['mileage', 'color', 'price'],
      refs: ['holder'],
      states: ['active', 'damaged', 'archived'],
      acts: [status('repair', 'damaged', 'active'), status('archive', ['active', 'damaged'], 'archived')],
      create: 'register',
      optional: true,
    }),
    entity('garage', 'garage|body shop', 'company', {
      fields: ['phone', 'address', 'discount'],
      states: ['active', 'blocked'],
      acts: [status('ban', 'active', 'blocked')],
      create: 'add',
      optional: true,
    }),
  ],
}
