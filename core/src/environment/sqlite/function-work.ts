/** What a function does with texts. Lengths are in characters, times in nanoseconds. */
export interface FunctionWork {
  /** How long one call takes. Source: measured on one core of a server of 2024, rounded up. */
  time(lengths: readonly number[]): number
  /** Longest text that it may return. */
  length(lengths: readonly number[]): number
}

/** Length of what is no text, as a text. */
export const shortText = 24

/** Time of a call, and of one that is carried out outside of SQLite. */
const callTime = 50
const foreignTime = 1_000

/** Longest text, in UTF-16 units, that replace() makes of a shorter one where nothing else is said. */
export const longestReplaced = 200_000

/** Longest text of SQLite, and how deep JSON may be nested. Source: sqlite.org/limits.html and json1.html. */
const longestText = 1_000_000_000
const deepest = 1_000

/** Functions whose time grows with the square of a text, so that a single call may take long. */
export const squaring: ReadonlySet<string> = new Set(['json_patch', 'json_pretty'])

/** Characters that a search compares at once. */
const comparedAtOnce = 32

const longest = (lengths: readonly number[]): number => Math.max(shortText, ...lengths)
const sum = (lengths: readonly number[]): number => lengths.reduce((total, length) => total + length, shortText)

/** One that goes through its arguments, at so many nanoseconds a character. */
const linear = (perCharacter: number, length: FunctionWork['length']): FunctionWork => ({
  time: (lengths) => callTime + perCharacter * sum(lengths),
  length,
})

const brief: FunctionWork = { time: () => callTime, length: () => shortText }
const choosing: FunctionWork = { time: () => callTime, length: longest }
const measuring = linear(1, () => shortText)
const changing = linear(2, longest)
const parsing = linear(6, sum)
const clocked: FunctionWork = { time: (lengths) => foreignTime + sum(lengths.slice(0, 2)), length: longest }

/** How long it takes to try each place of a text for another. */
const tried = ([text = 0, needle = 0]: readonly number[]): number =>
  2 * text * (1 + Math.min(text, needle) / comparedAtOnce)

const finding: FunctionWork = { time: (lengths) => callTime + tried(lengths), length: () => shortText }
const replacing: FunctionWork = {
  time: (lengths) => foreignTime + tried(lengths) + sum(lengths),
  length: ([text = 0, , replacement = 0]) => Math.max(text, Math.min(longestReplaced, text * Math.max(1, replacement))),
}
const matching: FunctionWork = { time: ([, text = 0]) => callTime + 4 * text, length: () => shortText }
const trimming: FunctionWork = {
  time: ([text = 0, characters = 1]) => callTime + 2 * text * Math.max(1, Math.min(16, characters)),
  length: longest,
}

/** Looks for each name of one object among all of another. */
const patching: FunctionWork = {
  time: (lengths) => parsing.time(lengths) + 0.15 * (lengths[0] ?? 0) * (lengths[1] ?? 0),
  length: sum,
}
/** Indents each line by how deep it lies, which may be as many steps as there are lines. */
const indented = ([text = 0, indent = 4]: readonly number[]): number =>
  Math.min(longestText, text + (text / 2) * Math.min(deepest, text / 2) * Math.max(4, indent))
const indenting: FunctionWork = { time: (lengths) => callTime + indented(lengths), length: indented }

const kinds: readonly (readonly [names: string, work: FunctionWork])[] = [
  [
    'abs acos acosh asin asinh atan atan2 atanh avg ceil ceiling cos cosh count cume_dist degrees dense_rank exp floor',
    brief,
  ],
  [
    'current_date current_time current_timestamp likelihood ln log log10 log2 mod ntile percent_rank pi pow power',
    brief,
  ],
  ['radians random rank round row_number sign sin sinh sqrt subtype sum tan tanh total trunc typeof', brief],
  ['coalesce first_value if ifnull iif lag last_value lead likely max min nth_value nullif unlikely', choosing],
  ['length octet_length unicode json_valid json_type json_array_length json_error_position soundex', measuring],
  ['lower upper substr substring unhex unistr highlight', changing],
  ['date time datetime julianday unixepoch strftime timediff', clocked],
  ['trim ltrim rtrim', trimming],
  ['like glob', matching],
  ['instr', finding],
  ['replace', replacing],
  ['json_patch', patching],
  ['json_pretty', indenting],
  ['hex', linear(2, (lengths) => 2 * sum(lengths))],
  ['quote json_quote unistr_quote', linear(2, (lengths) => 6 * sum(lengths))],
]

const known: ReadonlyMap<string, FunctionWork> = new Map(
  kinds.flatMap(([names, work]) => names.split(' ').map((name): [string, FunctionWork] => [name, work])),
)

/** What a function does; any that is not listed may go through all of its arguments and return them. */
export const functionWork = (name: string): FunctionWork => known.get(name) ?? parsing

/** Aggregates that return the texts of all their rows. */
export const joinsRows: ReadonlySet<string> = new Set(
  'group_concat string_agg json_group_array json_group_object'.split(' '),
)
