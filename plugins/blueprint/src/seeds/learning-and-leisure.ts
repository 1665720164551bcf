import { seed } from './seed.ts'

export const learningAndLeisureSeeds = [
  seed('school', 'Secondary school', 'A school office keeps pupils, teachers, courses and exams.'),
  seed('school', 'Language school', 'A language school plans courses and exams for its learners.', {
    course: 'language course|course',
  }),
  seed('school', 'Music school', 'A music school plans lessons and recitals.', {
    teacher: 'music teacher|instructor',
    exam: 'recital|audition',
    submission: 'recording|practice piece',
  }),
  seed('school', 'Driving school', 'A driving school plans lessons and driving tests.', {
    teacher: 'driving instructor|instructor',
    exam: 'driving test|road test',
  }),
  seed('school', 'Online academy', 'An academy sells online courses and grades homework.', {
    student: 'learner|subscriber',
    teacher: 'tutor|mentor',
  }),
  seed('helpdesk', 'IT helpdesk', 'Agents answer tickets and keep the machines of a company.'),
  seed('helpdesk', 'Telecom support', 'A telecom firm helps subscribers with lines and contracts.', {
    customer: 'subscriber|line owner',
  }),
  seed('helpdesk', 'Citizen service desk', 'A town hall answers requests of its citizens.', {
    customer: 'citizen|inhabitant',
    ticket: 'petition|case',
  }),
  seed('helpdesk', 'Campus support desk', 'A campus desk helps students and lecturers with their machines.', {
    customer: 'campus user|requester',
  }),
  seed('fitness', 'Gym', 'A gym keeps members, trainers, classes and lockers.'),
  seed('fitness', 'Yoga studio', 'A studio plans yoga classes and sells memberships.', {
    trainer: 'yoga teacher|instructor',
    member: 'yogi|participant',
  }),
  seed('fitness', 'Climbing hall', 'A climbing hall plans courses and keeps its gear.', {
    member: 'climber|member',
    machine: 'climbing gear|rope set',
  }),
  seed('fitness', 'Swimming club', 'A club plans swimming lessons and collects dues.', {
    member: 'swimmer|club member',
    lesson: 'swimming lesson|pool class',
  }),
  seed('events', 'Conference office', 'Organisers plan conferences, speakers and tickets.'),
  seed('events', 'Concert promoter', 'A promoter plans concerts, artists and tickets.', {
    event: 'concert|gig',
    speaker: 'musician|band leader',
    attendee: 'fan|concert goer',
  }),
  seed('events', 'Theatre box office', 'A theatre sells admissions for its plays.', {
    event: 'play|stage show',
    speaker: 'actor|performer',
    attendee: 'spectator|theatregoer',
  }),
  seed('events', 'Trade fair office', 'A fair organises exhibitions, stands and sponsors.', {
    event: 'trade fair|exhibition',
    attendee: 'fair visitor|trade visitor',
  }),
  seed('gaming', 'Online role-playing game', 'Game masters keep players, guilds, heroes and items.'),
  seed('gaming', 'Esports league', 'A league keeps players, squads and matches.', {
    guild: 'esports team|squad',
    hero: 'avatar|game persona',
  }),
  seed('gaming', 'Trading card arena', 'Players collect cards, build decks and duel.', {
    item: 'trading card|card',
    hero: 'deck|card deck',
  }),
  seed('gaming', 'Space strategy game', 'Commanders lead fleets, ships and missions.', {
    player: 'commander|pilot',
    guild: 'alliance|fleet league',
    hero: 'starship|cruiser',
  }),
  seed('insurance', 'Insurance office', 'Agents keep policies, claims and payments of insured people.'),
  seed('insurance', 'Pet insurance', 'An insurer covers pets and settles vet bills.', {
    holder: 'pet owner|insured person',
  }),
  seed('insurance', 'Travel insurance', 'An insurer covers travellers and their losses.', {
    holder: 'insured traveller|policyholder',
  }),
  seed('insurance', 'Crop insurance', 'An insurer covers farmers against hail and drought.', {
    holder: 'insured farmer|grower',
    vehicle: 'farm machine|tractor',
  }),
  seed('charity', 'Charity office', 'A charity keeps donors, appeals, pledges and volunteers.'),
  seed('charity', 'Animal shelter', 'A shelter lives on pledges and on people who foster animals.', {
    family: 'foster home|adopter',
    parcel: 'feed parcel|feed box',
  }),
  seed('charity', 'Disaster relief office', 'A relief office sends aid to households in need.', {
    campaign: 'relief operation|relief appeal',
  }),
  seed('charity', 'Community foundation', 'A foundation gives grants to people with good ideas.', {
    family: 'grantee|initiative leader',
    grant: 'award|stipend',
  }),
] as const
