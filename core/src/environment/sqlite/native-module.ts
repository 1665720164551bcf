import Database from 'better-sqlite3'
import { messageOf, RlenvError } from '../../errors/rlenv-error.ts'

/** What this Node can do with SQLite. */
export interface NativeModuleReport {
  readonly ok: boolean
  /** The linked SQLite's version, or null when the binding cannot be loaded. */
  readonly sqliteVersion: string | null
  readonly message: string
  readonly fix: string | null
}

/** The error for a binding that is missing or was built for another Node. */
function nativeModuleError(cause: unknown): RlenvError {
  const built = /compiled against a different Node|NODE_MODULE_VERSION/.test(messageOf(cause))
  const why = built ? 'was built for another Node' : 'cannot be loaded'
  return new RlenvError(
    `the SQLite binding better-sqlite3 ${why}: this is Node ${process.version}, ABI ${process.versions.modules}, ${process.platform}-${process.arch}`,
    { code: 'RLENV_NATIVE_MODULE', fix: 'Run "npm rebuild better-sqlite3" with this Node.', cause },
  )
}

/** Whether a failure comes from loading the binding and not from SQLite. */
function isNativeModuleFailure(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const code = (thrown as { code?: unknown }).code
  if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') return true
  return /NODE_MODULE_VERSION|Could not locate the bindings file|invalid ELF header/.test(thrown.message)
}

/** Opens a database; a binding that cannot be loaded is reported as such. @throws {RlenvError} RLENV_NATIVE_MODULE */
export function openSqlite(source: string | Buffer, options?: Database.Options): Database.Database {
  try {
    return new Database(source, options)
  } catch (cause) {
    if (isNativeModuleFailure(cause)) throw nativeModuleError(cause)
    throw cause
  }
}

/** Loads the SQLite binding and asks it for its version. Never throws. */
export function checkNativeModule(open: () => Database.Database = () => openSqlite(':memory:')): NativeModuleReport {
  try {
    const database = open()
    const sqliteVersion = database.prepare('SELECT sqlite_version()').pluck().get() as string
    database.close()
    return { ok: true, sqliteVersion, message: `SQLite ${sqliteVersion}`, fix: null }
  } catch (thrown) {
    const error = thrown instanceof RlenvError ? thrown : nativeModuleError(thrown)
    return { ok: false, sqliteVersion: null, message: error.message, fix: error.fix ?? null }
  }
}
