/**
 * What can be done in any domain, by kind of action: the words for each act. An environment names its tools with one
 * form, tasks may use another. A form after `>` carries the preposition that leads to the target.
 */
const status = {
  accept: 'accept|take on',
  activate: 'activate|enable|switch on',
  approve: 'approve|authorize|greenlight|sign off',
  archive: 'archive|retire|shelve',
  ban: 'ban|bar|blacklist',
  board: 'board|embark',
  cancel: 'cancel|call off|void|scrap',
  checkIn: 'check in|admit|sign in',
  checkOut: 'check out|discharge|sign out',
  clean: 'clean|tidy up|scrub',
  close: 'close|shut|wind up',
  complete: 'complete|finish|wrap up|conclude',
  confirm: 'confirm|firm up|acknowledge',
  contest: 'contest|dispute|challenge',
  deactivate: 'deactivate|disable|switch off',
  deliver: 'deliver|drop off|hand over',
  dispatch: 'dispatch|send out|deploy',
  escalate: 'escalate|elevate|bump up',
  feature: 'feature|highlight|spotlight',
  flag: 'flag|report|call out',
  freeze: 'freeze|suspend|put on hold',
  grade: 'grade|mark|evaluate',
  harvest: 'harvest|gather|reap',
  hide: 'hide|conceal|mask',
  inspect: 'inspect|examine|audit',
  launch: 'launch|kick off|roll out',
  lock: 'lock|secure|bolt',
  pack: 'pack|box up|wrap',
  pause: 'pause|halt|interrupt',
  pay: 'pay|settle|clear',
  prepare: 'prepare|get ready|set up',
  publish: 'publish|release|post',
  receive: 'receive|book in|take delivery of',
  refund: 'refund|reimburse|pay back',
  reject: 'reject|decline|turn down|deny',
  release: 'release|free up|vacate',
  renew: 'renew|extend|prolong',
  reopen: 'reopen|revive|bring back',
  repair: 'repair|fix|mend',
  reserve: 'reserve|hold|set aside',
  resolve: 'resolve|solve|sort out',
  resume: 'resume|restart|continue',
  returnBack: 'return|give back|hand back',
  serve: 'serve|bring out',
  ship: 'ship|mail out|forward',
  shortlist: 'shortlist|preselect',
  sign: 'sign|countersign',
  start: 'start|begin|commence',
  submit: 'submit|file|hand in',
  terminate: 'terminate|end|dissolve',
  unfreeze: 'unfreeze|reinstate|lift the hold on',
  unlock: 'unlock|unbolt',
  verify: 'verify|vet|validate',
  win: 'win|land|secure',
  withdraw: 'withdraw|pull|take back',
} as const

/** `+` adds to the field, `-` takes from it. */
const adjust = {
  add: '+ add>to|put>on',
  topUp: '+ top up>by|boost>by|increase>by',
  restock: '+ restock>by|replenish>by|refill>by',
  raise: '+ raise>by|lift>by|increase>by',
  log: '+ log>under|book>under|record>under',
  deduct: '- deduct>from|subtract>from|take off>from',
  lower: '- lower>by|reduce>by|cut>by',
  spend: '- spend>from|use up>from',
  charge: '- charge>against|debit>from',
} as const

const assign = {
  assign: 'assign>to|give>to|allot>to',
  reassign: 'reassign>to|hand over>to|switch>to',
  move: 'move>to|relocate>to|shift>to',
  route: 'route>to|direct>to|steer>to',
  place: 'place>under|put>under|file>under',
  book: 'rebook>with|rearrange>with',
} as const

const transfer = {
  transfer: 'transfer|move|shift',
  send: 'send|remit|pass on',
  share: 'share|donate|hand over',
  relocate: 'relocate|carry over|reallocate',
} as const

const create = {
  add: 'add|enter|record',
  book: 'book|arrange|set up',
  file: 'file|lodge|submit',
  hire: 'hire|take on|recruit',
  issue: 'issue|make out|raise',
  open: 'open|start|establish',
  place: 'place|make|enter',
  plan: 'plan|schedule|set up',
  register: 'register|sign up|enroll',
  request: 'request|ask for|apply for',
  log: 'log|note down|record',
} as const

const generic = {
  search: 'search|find|look up|query',
  get: 'get|show|view|fetch|read',
  list: 'list|browse|show all|enumerate',
  update: 'update|edit|modify|revise',
  set: 'set|change|alter',
  remove: 'delete|remove|erase|discard',
} as const

export type StatusVerb = keyof typeof status
export type AdjustVerb = keyof typeof adjust
export type AssignVerb = keyof typeof assign
export type TransferVerb = keyof typeof transfer
export type CreateVerb = keyof typeof create
export type GenericVerb = keyof typeof generic

/** One form of a verb. */
export interface VerbForm {
  readonly words: string
  /** The word before the target, for example "to" in "assign … to …"; empty when the verb takes none. */
  readonly preposition: string
}

function forms(text: string): readonly VerbForm[] {
  return text.split('|').map((form) => {
    const [words = '', preposition = ''] = form.split('>')
    return { words, preposition }
  })
}

function table<Key extends string>(source: Readonly<Record<Key, string>>): Readonly<Record<Key, readonly VerbForm[]>> {
  const entries = Object.entries<string>(source).map(([key, text]) => [key, forms(text.replace(/^[+-] /, ''))])
  return Object.fromEntries(entries) as Record<Key, readonly VerbForm[]>
}

export const verbDictionary = {
  status: table(status),
  adjust: table(adjust),
  assign: table(assign),
  transfer: table(transfer),
  create: table(create),
  generic: table(generic),
}

/** 1 when the verb adds, -1 when it takes away. */
export function adjustSign(verb: AdjustVerb): 1 | -1 {
  return adjust[verb].startsWith('+') ? 1 : -1
}
