import { seed } from './seed.ts'

export const careAndCultureSeeds = [
  seed(
    'clinic',
    'Family clinic',
    'Front-desk staff keep patients, doctors, visits and bills of a small medical practice.',
  ),
  seed('clinic', 'Dental practice', 'Receptionists of a dental practice plan treatments and follow up on bills.', {
    doctor: 'dentist|hygienist',
    appointment: 'treatment|check-up',
  }),
  seed('clinic', 'Veterinary clinic', 'Staff of an animal hospital keep pets, vets, examinations and medication.', {
    patient: 'pet|animal',
    doctor: 'vet|animal doctor',
    appointment: 'examination|visit',
  }),
  seed('clinic', 'Physiotherapy centre', 'Therapists plan sessions for their clients and write exercise scripts.', {
    doctor: 'therapist|physio',
    appointment: 'session|treatment',
    prescription: 'exercise sheet|script',
  }),
  seed('clinic', 'Eye care centre', 'An optician keeps patients, eye tests, lens prescriptions and bills.', {
    doctor: 'optician|optometrist',
    appointment: 'eye test|visit',
    prescription: 'lens prescription|lens slip',
  }),
  seed('library', 'Public library', 'Librarians lend books, keep holds and collect fines over several branches.'),
  seed('library', 'University library', 'A campus library lends volumes to readers and manages quiet rooms.', {
    member: 'reader|borrower',
    branch: 'faculty site|campus site',
  }),
  seed('library', 'Toy library', 'Families borrow toys and games from neighbourhood shelves.', {
    member: 'family|household',
    title: 'toy|game',
    hold: 'wish|waiting slot',
  }),
  seed('library', 'Film archive', 'An archive lends film reels to curators and plans screenings.', {
    member: 'curator|researcher',
    title: 'film|reel',
    reading: 'screening|showing',
  }),
  seed('library', 'Record lending club', 'A club lends vinyl records and organises listening evenings.', {
    title: 'record|album',
    reading: 'listening evening|concert',
  }),
] as const
