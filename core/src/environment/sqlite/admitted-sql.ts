/** First words of the statements that a tool or a verifier may run. */
export const admittedStatements: ReadonlySet<string> = new Set([
  'SELECT',
  'VALUES',
  'WITH',
  'INSERT',
  'REPLACE',
  'UPDATE',
  'DELETE',
])

/**
 * Opcodes of statements that leave the database's rows: schema changes, transactions, other files, settings. Names as of
 * SQLite 3.53; a test pins the version, because opcodes may change between releases.
 */
export const refusedOpcodes: ReadonlySet<string> = new Set([
  'AutoCommit',
  'Checkpoint',
  'CreateBtree',
  'Destroy',
  'DropIndex',
  'DropTable',
  'DropTrigger',
  'Expire',
  'IncrVacuum',
  'IntegrityCk',
  'JournalMode',
  'LoadAnalysis',
  'MaxPgcnt',
  'Pagecount',
  'ParseSchema',
  'ReadCookie',
  'Savepoint',
  'SetCookie',
  'SqlExec',
  'VCreate',
  'VDestroy',
  'VRename',
  'Vacuum',
])

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/))

/**
 * Functions that a statement may call, also through views, triggers, defaults and generated columns. Without those that
 * tell about the connection instead of the data (changes, last_insert_rowid) or allocate at will (printf, zeroblob).
 */
export const admittedFunctions: ReadonlySet<string> = words(
  `abs avg bm25 ceil ceiling char coalesce concat concat_ws cos acos acosh cosh asin asinh sin sinh tan tanh atan atan2
   atanh count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value
   floor glob group_concat hex highlight if ifnull iif instr json json_array json_array_length json_each json_error_position
   json_extract json_group_array json_group_object json_insert json_object json_patch json_pretty json_quote json_remove
   json_replace json_set json_tree json_type json_valid julianday lag last_value lead length like likelihood likely ln
   log log10 log2 lower ltrim match max median min mod nth_value ntile nullif octet_length percent_rank percentile
   percentile_cont percentile_disc pi pow power quote radians random rank replace round row_number rtrim sign snippet
   soundex sqrt strftime string_agg substr substring subtype sum time timediff total trim trunc typeof unhex unicode
   unistr unistr_quote unixepoch unlikely upper -> ->>`,
)

/** Virtual tables that answer about the database itself. */
export const refusedTables = /^(?:pragma_|sqlite_)|^(?:dbstat|bytecode|tables_used|stmt|completion|generate_series)$/i

/** Longest SQL text of one statement, in characters. */
export const longestSql = 16_384

/** Length, in characters, that a parameter's text is taken to have: that of an argument without a bound of its own. */
export const longestParameter = 10_000

/** Most rows that a statement may change: each takes as long as several visits, and once more for the diff. */
export const mostChanges = 200_000

/** Most row visits that a statement's plan may need. Source: product of scans along the query plan. */
export const mostRowVisits = 1_000_000
