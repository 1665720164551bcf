/**
 * The fields that entities of any domain may have: the words for each, and what its values look like.
 * Numbers of days count from the environment's clock.
 */

export type FieldType =
  | { readonly kind: 'money'; readonly low: number; readonly high: number }
  | { readonly kind: 'integer'; readonly low: number; readonly high: number }
  | { readonly kind: 'date'; readonly fromDay: number; readonly toDay: number }
  | { readonly kind: 'time' }
  | { readonly kind: 'email' }
  | { readonly kind: 'phone' }
  /** A closed set; the words for one value are synonyms, and an environment stores one of them. */
  | { readonly kind: 'choice'; readonly values: readonly (readonly string[])[] }
  /** Free text, taken from these phrases. */
  | { readonly kind: 'phrase'; readonly phrases: readonly string[] }
  /** The day on which the row was made; tools take it from the clock. */
  | { readonly kind: 'stamp' }

export interface FieldBlueprint {
  /** Synonyms; an environment uses one in its schema and tools, tasks may use another. */
  readonly names: readonly string[]
  readonly type: FieldType
}

const field = (names: string, type: FieldType): FieldBlueprint => ({ names: names.split('|'), type })
const money = (low: number, high: number): FieldType => ({ kind: 'money', low, high })
const integer = (low: number, high: number): FieldType => ({ kind: 'integer', low, high })
const date = (fromDay: number, toDay: number): FieldType => ({ kind: 'date', fromDay, toDay })
const choice = (...values: string[]): FieldType => ({ kind: 'choice', values: values.map((value) => value.split('|')) })
const phrase = (...phrases: string[]): FieldType => ({ kind: 'phrase', phrases })

export const fieldDictionary = {
  amount: field('amount|total|sum', money(20, 900)),
  balance: field('balance|funds|credit', money(50, 900)),
  budget: field('budget|allocation|allowance', money(500, 9000)),
  fee: field('fee|charge', money(5, 120)),
  price: field('price|cost', money(4, 400)),
  salary: field('salary|pay|wage', money(1800, 6500)),
  limit: field('limit|cap|ceiling', money(200, 5000)),
  premium: field('premium|instalment', money(15, 300)),
  rent: field('rent|monthly rate', money(400, 2600)),
  deposit: field('deposit|security', money(100, 1500)),
  discount: field('discount|reduction', integer(5, 45)),
  quantity: field('quantity|units|pieces', integer(2, 60)),
  stock: field('stock|inventory', integer(40, 400)),
  capacity: field('capacity|seating', integer(10, 240)),
  points: field('points|stars|tokens', integer(50, 900)),
  hours: field('hours|effort', integer(2, 60)),
  mileage: field('mileage|odometer', integer(1000, 90000)),
  score: field('score|mark', integer(10, 99)),
  weight: field('weight|mass', integer(3, 900)),
  brightness: field('brightness|intensity', integer(5, 99)),
  temperature: field('temperature|degrees', integer(12, 29)),
  party: field('party size|guests|headcount', integer(2, 12)),
  acreage: field('acreage|area', integer(3, 90)),
  duration: field('duration|length', integer(15, 180)),
  votes: field('votes|backing', integer(5, 300)),
  minutes: field('minutes|airtime', integer(20, 600)),
  level: field('level|rank', integer(2, 60)),
  shelf: field('shelf|aisle', integer(11, 99)),
  date: field('date|day', date(1, 60)),
  pastDate: field('date|day', date(-90, -1)),
  dueDate: field('due date|deadline', date(2, 75)),
  startDate: field('start date|first day', date(-40, 40)),
  endDate: field('end date|last day', date(45, 160)),
  expiry: field('expiry date|expiration date|end of validity', date(30, 700)),
  birthDate: field('birth date|date of birth', date(-25000, -7000)),
  created: field('creation date|entry date|date added', { kind: 'stamp' }),
  time: field('time|slot', { kind: 'time' }),
  email: field('email|mail address', { kind: 'email' }),
  phone: field('phone|telephone|contact number', { kind: 'phone' }),
  priority: field('priority|urgency', choice('low|minor', 'medium|normal', 'high|major', 'urgent|critical')),
  tier: field('tier|plan|membership', choice('bronze|basic', 'silver|standard', 'gold|premium')),
  size: field('size|format', choice('small|compact', 'medium|regular', 'large|big')),
  severity: field('severity|impact', choice('mild|slight', 'moderate', 'severe|serious')),
  channel: field('channel|medium', choice('email', 'phone|telephone', 'chat', 'letter|post')),
  payment: field('payment method|payment type', choice('card', 'cash', 'transfer|bank transfer')),
  seat: field('seat class|cabin', choice('economy|coach', 'business', 'first')),
  shift: field('shift|period', choice('morning|early', 'evening|late', 'night')),
  language: field('language|tongue', choice('English', 'French', 'Spanish', 'German')),
  color: field('color|shade', choice('red', 'blue', 'green', 'white', 'black')),
  mode: field('mode|setting', choice('eco|saving', 'normal|standard', 'boost|turbo')),
  condition: field('condition|quality', choice('new', 'good|fine', 'worn|used', 'damaged|broken')),
  coverage: field('coverage|protection', choice('limited|basic', 'partial', 'full|complete')),
  method: field('delivery method|service', choice('standard|regular', 'express|fast', 'pickup|collection')),
  difficulty: field('difficulty|grade', choice('easy|beginner', 'intermediate|middle', 'hard|advanced')),
  visibility: field('visibility|access', choice('public|open to all', 'private|hidden', 'internal')),
  dietary: field('diet|dietary need', choice('vegetarian', 'vegan', 'none|regular')),
  category: field('category|group', choice('general', 'technical', 'billing|finance', 'other|misc')),
  note: field(
    'note|remark|comment',
    phrase(
      'needs wheelchair access',
      'call before arrival',
      'prefers quiet',
      'bring a signed form',
      'use the back door',
    ),
  ),
  reason: field(
    'reason|cause',
    phrase(
      'arrived too late',
      'wrong item inside',
      'schedule conflict',
      'water damage',
      'double booking',
      'lost on the way',
    ),
  ),
  symptom: field(
    'symptom|complaint',
    phrase('persistent cough', 'sore knee', 'high fever', 'skin rash', 'loss of appetite', 'back pain'),
  ),
  topic: field(
    'topic|subject',
    phrase('slow connection', 'password policy', 'missing parcel', 'annual summary', 'broken screen', 'new contract'),
  ),
  address: field(
    'address|street',
    phrase('14 Elm Road', '7 Harbour Lane', '92 Mill Street', '3 Castle Square', '58 Orchard Way', '21 Station Hill'),
  ),
} satisfies Record<string, FieldBlueprint>

export type FieldKey = keyof typeof fieldDictionary
