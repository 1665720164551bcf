/**
 * Every code an {@link RlenvError} can carry, with the exit code its command ends with and when it is thrown.
 * `docs/errors.md` is generated from this table.
 */
export const errorCodes = {
  // Configuration and plugins: exit 2.
  RLENV_CONFIG_NOT_FOUND: { exit: 2, when: 'no configuration file was found, or the named one does not exist' },
  RLENV_CONFIG_FAILED: { exit: 2, when: 'the configuration file threw while loading, or exports nothing usable' },
  RLENV_CONFIG_INVALID: { exit: 2, when: 'a key is unknown, or a value has the wrong type or range' },
  RLENV_CONFIG_CYCLE: { exit: 2, when: 'configurations extend each other in a circle' },
  RLENV_PLUGIN_NOT_FOUND: {
    exit: 2,
    when: 'a plugin or preset package cannot be resolved from the configuration file',
  },
  RLENV_PLUGIN_INVALID: {
    exit: 2,
    when: 'a plugin has no name, an unknown hook, an unknown neighbour, or is used twice',
  },
  RLENV_PLUGIN_OPTIONS: { exit: 2, when: "a plugin's options do not fit its schema" },
  RLENV_SLOT_CONFLICT: { exit: 2, when: 'two plugins of one layer provide the same slot' },
  RLENV_HOOK_EMPTY: { exit: 2, when: 'no plugin fills a hook point that the command needs' },
  RLENV_SECRET_MISSING: { exit: 2, when: 'an environment variable that holds a secret is not set' },
  RLENV_USAGE: { exit: 2, when: 'command-line words or flags do not fit the command' },
  RLENV_NATIVE_MODULE: { exit: 2, when: 'the SQLite binding cannot be loaded by this Node' },
  // Plugins at run time: exit 1.
  RLENV_PLUGIN_FAILED: { exit: 1, when: 'a plugin threw inside a hook' },
  RLENV_PLUGIN_RETURNED_NOTHING: { exit: 1, when: 'a plugin returned undefined or null from a chain' },
  RLENV_PLUGIN_RETURNED_INVALID: { exit: 1, when: 'a plugin returned a value that does not fit its hook' },
  RLENV_PLUGIN_STALLED: { exit: 1, when: "a plugin's promise did not settle before its deadline" },
  RLENV_SAMPLER_INVALID: { exit: 1, when: 'a sampler drew a task that does not exist, or the wrong number of tasks' },
  RLENV_WORLD_SHARED: { exit: 1, when: 'a world plugin returned the same instance twice' },
  RLENV_SHARD_FAILED: {
    exit: 1,
    when: 'a thread or process for rollouts or served worlds does not start, does not stay up, or loads another configuration',
  },
  RLENV_SERVER_FAILED: {
    exit: 1,
    when: 'a server that a world runs on does not start, cannot be reached, or does not keep to its protocol',
  },
  // Environments: exit 3.
  RLENV_DATABASE_INVALID: { exit: 3, when: 'a schema or its rows do not load, or break a foreign key' },
  RLENV_STATE_TOO_LARGE: { exit: 3, when: 'a query was admitted for far fewer rows than calls have left behind' },
  RLENV_TOOL_INVALID: {
    exit: 3,
    when: 'a tool has a reserved name, SQL that the driver refuses, or a result outside its schema',
  },
  RLENV_TASK_INVALID: { exit: 3, when: 'a task does not fail untouched, pass on its gold run, or flip under mutation' },
  RLENV_BUNDLE_INVALID: { exit: 3, when: 'an environment bundle on disk is damaged or of another format' },
  RLENV_SCRIPT_FAILED: { exit: 3, when: 'a script of an environment does not compile or breaks its limits' },
  RLENV_SYNTHESIS_EMPTY: { exit: 3, when: 'no environment came through the gate' },
  // Rollouts, training, evaluation.
  RLENV_FAILURE_SHARE: {
    exit: 4,
    when: 'a larger share of rollouts failed or stayed unscored than the configuration allows',
  },
  RLENV_DEAD_RUN: { exit: 4, when: 'training found no group with a gradient for too long' },
  RLENV_GROUP_TOO_SMALL: { exit: 2, when: 'a group has fewer than two rollouts, so it has no baseline' },
  RLENV_LEARNER_NON_FINITE: { exit: 1, when: 'a learner was handed a gradient that is not finite' },
  RLENV_RESUME_REFUSED: { exit: 2, when: 'no run can go on, or its dataset, configuration or plugins have changed' },
  RLENV_CHECKPOINT_INVALID: { exit: 2, when: 'a checkpoint is damaged or of another format' },
  // Serving.
  RLENV_SERVER_FULL: { exit: 1, when: 'a server has as many sessions as it may, and as many waiting for one' },
  RLENV_SERVER_CLOSED: { exit: 1, when: 'a server is shutting down and opens no more sessions' },
  RLENV_SESSION_UNKNOWN: { exit: 1, when: 'a handle names no open session: closed, its lease over, or never opened' },
  RLENV_WORLD_UNAVAILABLE: {
    exit: 1,
    when: 'the world of a session did not open in time, or was lost with the process that held it',
  },
  RLENV_ADDRESS_UNUSABLE: { exit: 2, when: 'a server cannot listen on the address it was given, or may not' },
  // Files.
  RLENV_DISK_FULL: { exit: 1, when: 'the disk is full' },
  RLENV_OUTPUT_UNWRITABLE: { exit: 2, when: 'the output folder cannot be written to' },
  RLENV_FILE_INVALID: { exit: 2, when: 'a results file holds a line that is not what was written' },
  RLENV_INTERRUPTED: { exit: 130, when: 'the run was interrupted and can be resumed' },
} as const satisfies Record<string, { readonly exit: number; readonly when: string }>

export type ErrorCode = keyof typeof errorCodes
