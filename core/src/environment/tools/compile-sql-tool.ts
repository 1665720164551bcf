import type { SqlStep, Tool } from '../../vocabulary/tool.ts'
import { sqlExcerpt } from '../sqlite/sql-text.ts'
import type { RegisteredStatement, StatementRegistry } from '../sqlite/statement-registry.ts'
import { argumentSchema } from './argument-validator.ts'
import { leavesNothing } from './call-effects.ts'
import { isObject } from './schema-references.ts'
import { type CompiledStep, placeholder, type SqlProgram } from './sql-tool.ts'

export type Compilation<Program> =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly faults: readonly string[] }

/** Parameter that holds the row id of the last INSERT. */
const rowidParameter = 'rowid'

/** Whether a write that changes no row is an error although it may have left something: a used row id, work of triggers. */
function mayRefuseLate({ step, statement }: CompiledStep): boolean {
  if (step.kind !== 'run' || step.error === undefined || statement === null) return false
  return !leavesNothing(statement)
}

class SqlToolCompiler {
  readonly #tool: Tool
  readonly #registry: StatementRegistry
  readonly #arguments: ReadonlySet<string>
  readonly #variables = new Set<string>()
  readonly #used = new Set<string>()
  readonly faults: string[] = []

  constructor(tool: Tool, registry: StatementRegistry) {
    this.#tool = tool
    this.#registry = registry
    const { properties } = argumentSchema(tool.inputSchema)
    this.#arguments = new Set(isObject(properties) ? Object.keys(properties) : [])
  }

  compile(steps: readonly SqlStep[]): SqlProgram {
    const compiled = steps.map((step, index) => this.#compileStep(step, index))
    const firstWrite = steps.findIndex((step) => step.kind === 'run')
    const partial = compiled.some(({ statement }) => statement?.partial === true)
    return {
      kind: 'sql',
      name: this.#tool.name,
      steps: compiled,
      arguments: [...this.#used].filter((name) => !this.#variables.has(name)),
      variables: [...this.#variables],
      needsSavepoint: firstWrite >= 0 && (firstWrite < steps.length - 1 || partial || compiled.some(mayRefuseLate)),
    }
  }

  #compileStep(step: SqlStep, index: number): CompiledStep {
    const place = `step ${index + 1}`
    const named = step.kind === 'require' ? step.anyOf : step.when === undefined ? [] : [step.when]
    for (const name of named) this.#useArgument(name, place)
    if ('error' in step && step.error !== undefined) this.#checkMessage(step.error.message, place)
    if (step.kind === 'require') return { step, statement: null, outputs: [] }
    const statement = this.#admit(step, `${place} "${sqlExcerpt(step.sql)}"`)
    const outputs =
      step.kind === 'row' && step.as !== undefined
        ? (statement?.columns ?? []).map((column) => `${step.as}__${column}`)
        : []
    for (const name of outputs) this.#variables.add(name)
    if (step.kind === 'run') this.#variables.add(rowidParameter)
    return { step, statement, outputs }
  }

  #useArgument(name: string, place: string): void {
    this.#used.add(name)
    if (!this.#arguments.has(name)) this.faults.push(`${place} asks for ${name}, which is no argument`)
  }

  #checkMessage(message: string, place: string): void {
    for (const [, name = ''] of message.matchAll(placeholder)) {
      if (!this.#arguments.has(name)) this.faults.push(`${place} has {${name}} in its message, which is no argument`)
    }
  }

  #admit(step: Exclude<SqlStep, { kind: 'require' }>, place: string): RegisteredStatement | null {
    const admission = this.#registry.admit(step.sql)
    if (!admission.ok) {
      this.faults.push(...admission.faults.map((fault) => `${place} ${fault}`))
      return null
    }
    const { statement } = admission
    for (const name of statement.parameters) {
      if (!this.#variables.has(name) && !this.#arguments.has(name)) {
        this.faults.push(`${place} has @${name}, which is neither an argument nor the column of an earlier row`)
      }
      this.#used.add(name)
    }
    this.#checkKind(step, statement, place)
    return statement
  }

  #checkKind(step: SqlStep, statement: RegisteredStatement, place: string): void {
    const returnsRows = statement.columns.length > 0
    if (step.kind === 'run') {
      if (returnsRows) this.faults.push(`${place} returns rows; use a row or rows step to read`)
      if (this.#tool.effect === 'read') this.faults.push(`${place} writes, but the tool's effect is read`)
    } else if (!returnsRows || !statement.readOnly) {
      this.faults.push(`${place} does not only read; use a run step to write`)
    }
  }
}

/** Looks up and checks every statement of a declarative tool. Faults name the step and its SQL. */
export function compileSqlTool(
  tool: Tool,
  steps: readonly SqlStep[],
  registry: StatementRegistry,
): Compilation<SqlProgram> {
  const compiler = new SqlToolCompiler(tool, registry)
  const program = compiler.compile(steps)
  return compiler.faults.length > 0 ? { ok: false, faults: compiler.faults } : { ok: true, program }
}
