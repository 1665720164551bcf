// Writes docs/hooks.md and docs/errors.md from the sources they describe; with --check, fails when they are out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const fromRoot = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))
const hooksSource = 'core/src/hooks/pipeline-hooks.ts'
const errorsSource = 'core/src/errors/error-codes.ts'

function parse(path) {
  return ts.createSourceFile(path, readFileSync(fromRoot(path), 'utf8'), ts.ScriptTarget.Latest, true)
}

function declared(source, name) {
  for (const statement of source.statements) {
    if (ts.isInterfaceDeclaration(statement) && statement.name.text === name) return statement
    if (!ts.isVariableStatement(statement)) continue
    const found = statement.declarationList.declarations.find((one) => one.name.getText() === name)
    if (found !== undefined) return found
  }
  throw new Error(`${source.fileName} declares no ${name}`)
}

/** The object literal behind `as const`, `satisfies` and type annotations. */
function literal(declaration) {
  let node = declaration.initializer
  while (!ts.isObjectLiteralExpression(node)) node = node.expression
  return node.properties
}

const comment = (node) => ts.getTextOfJSDocComment(ts.getJSDocCommentsAndTags(node)[0]?.comment) ?? ''
const fields = (property) =>
  Object.fromEntries(property.initializer.properties.map((p) => [p.name.text, p.initializer.text]))
const cell = (text) => text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')

/** The text of a node without the indentation of the block it stands in. */
function code(node) {
  const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart())
  const indent = /^ */.exec(node.getSourceFile().text.split('\n')[line])[0]
  return node.getText().replaceAll(`\n${indent}`, '\n').replaceAll('readonly ', '')
}

function hooksPage() {
  const source = parse(hooksSource)
  const hooks = declared(source, 'PluginHooks')
  const points = new Map(literal(declared(source, 'hookPoints')).map((point) => [point.name.text, fields(point)]))
  const members = hooks.members.map((member) => ({
    name: member.name.text,
    text: comment(member).replace(/^\w+[.] /, ''),
    signature: code(member),
    ...points.get(member.name.text),
  }))
  const rows = members.map(
    (hook) => `| [\`${hook.name}\`](#${hook.name.toLowerCase()}) | ${hook.kind} | ${cell(hook.called)} |`,
  )
  const sections = members.map(
    (hook, index) =>
      `## ${hook.name}\n\n${hook.text}\n\n| | |\n|---|---|\n| kind | ${hook.kind} |\n| called | ${cell(hook.called)} |\n` +
      `| previous | ${members[index - 1]?.name ?? ''} |\n| next | ${members[index + 1]?.name ?? ''} |\n\n` +
      `\`\`\`ts\n${hook.signature}\n\`\`\`\n`,
  )
  const options = (name) => declared(source, name).members.filter((member) => comment(member) !== '')
  const row = (member, of = '') => `| \`${cell(code(member))}\` | ${of}${cell(comment(member))} |`
  const placement = [
    ...options('OrderedHandler').map((member) => row(member)),
    ...options('OrderedGroupsHandler').map((member) => row(member, '`groups` only. ')),
  ]
  return (
    `# Hook points\n\nGenerated from [${hooksSource}](../${hooksSource}) by \`npm run docs\`.\n\n${comment(hooks)}\n\n` +
    `| hook point | kind | called |\n|---|---|---|\n${rows.join('\n')}\n\n` +
    `A handler of a chain is a function, or an object with \`handler\` and what else is to be known of it ` +
    `([decision 0002](decisions/0002-chains-and-replacement.md)):\n\n` +
    `| field | meaning |\n|---|---|\n${placement.join('\n')}\n\n${sections.join('\n')}`
  )
}

function errorsPage() {
  const rows = literal(declared(parse(errorsSource), 'errorCodes')).map((entry) => {
    const { exit, when } = fields(entry)
    return `| \`${entry.name.text}\` | ${exit} | ${cell(when)} |`
  })
  return (
    `# Error codes\n\nGenerated from [${errorsSource}](../${errorsSource}) by \`npm run docs\`. ` +
    `Match on \`code\`, never on the message.\n\n| code | exit | thrown when |\n|---|---|---|\n${rows.join('\n')}\n`
  )
}

const check = process.argv.includes('--check')
for (const [path, text] of [
  ['docs/hooks.md', hooksPage()],
  ['docs/errors.md', errorsPage()],
]) {
  const file = fromRoot(path)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  if (check) {
    console.error(`✖ ${path} is out of date\n  fix   npm run docs:generate`)
    process.exitCode = 1
  } else {
    writeFileSync(file, text)
    console.log(`wrote ${path}`)
  }
}
