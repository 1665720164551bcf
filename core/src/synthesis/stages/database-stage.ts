import { freezeData } from '../../determinism/freeze-data.ts'
import { buildImage } from '../../environment/image/build-image.ts'
import { isRlenvError } from '../../errors/rlenv-error.ts'
import type { DatabaseDraft } from '../../vocabulary/database.ts'
import type { Stage, StageResult } from '../stage.ts'

/** Has the database made, and loads it: every statement must run and every foreign key hold. */
export const databaseStage: Stage = {
  name: 'database',
  hook: 'dbMiner',
  acceptedErrorShare: 0,
  repeats: true,
  settings: () => null,
  async run(draft, { pipeline, context }) {
    return loaded(freezeData(await pipeline.chain('dbMiner', draft.database, context)))
  },
}

function loaded(database: DatabaseDraft): StageResult {
  const part = { database }
  try {
    const { tables } = buildImage(database)
    if (tables.length > 0) {
      return { part, errors: [], errorShare: 0, usable: true, reason: null, dropped: [] }
    }
    return refused(['the schema creates no table'])
  } catch (thrown) {
    if (!isRlenvError(thrown) || thrown.code !== 'RLENV_DATABASE_INVALID') throw thrown
    return refused([thrown.message])
  }
}

function refused(errors: readonly string[]): StageResult {
  return { part: {}, errors, errorShare: 1, usable: false, reason: 'database_invalid', dropped: [] }
}
