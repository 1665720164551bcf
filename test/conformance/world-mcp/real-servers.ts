import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { McpEnvironmentOptions, StdioServer } from '@rlenv/world-mcp'

const require = createRequire(import.meta.url)

/** The file that a published server's command runs. */
function entryOf(name: string): string {
  const manifest = require.resolve(`@modelcontextprotocol/server-${name}/package.json`)
  const { bin } = require(manifest) as { bin: Record<string, string> }
  return join(dirname(manifest), Object.values(bin)[0] as string)
}

function realServer(name: string, args: readonly string[] = [], more: Partial<StdioServer> = {}): StdioServer {
  return { command: process.execPath, args: [entryOf(name), ...args], ...more }
}

const inventory = join(import.meta.dirname, 'fixtures/inventory')

export const everything: McpEnvironmentOptions = {
  id: 'everything',
  server: realServer('everything'),
  tasks: [
    {
      id: 'sum',
      instruction: 'What is 17.5 and 24.5 together?',
      calls: [{ tool: 'get-sum', arguments: { a: 17.5, b: 24.5 } }],
      answer: 42,
    },
    {
      id: 'log',
      instruction: 'Turn the simulated logging on.',
      calls: [{ tool: 'toggle-simulated-logging', arguments: {} }],
    },
  ],
}

export const filesystem: McpEnvironmentOptions = {
  id: 'filesystem',
  server: realServer('filesystem', ['{workspace}'], {
    workspace: inventory,
    state: { tool: 'read_multiple_files', arguments: { paths: ['/workspace/stock.csv', '/workspace/orders.txt'] } },
  }),
  tasks: [
    {
      id: 'count',
      instruction: 'How many lamps are in stock, by /workspace/stock.csv?',
      calls: [{ tool: 'read_text_file', arguments: { path: '/workspace/stock.csv' } }],
      answer: 12,
    },
    {
      id: 'order',
      instruction: 'Order 3 chairs: replace the whole of /workspace/orders.txt by "chair 3".',
      calls: [{ tool: 'write_file', arguments: { path: '/workspace/orders.txt', content: 'chair 3\n' } }],
    },
  ],
}

export const memory: McpEnvironmentOptions = {
  id: 'memory',
  server: realServer('memory', [], {
    workspace: true,
    env: { MEMORY_FILE_PATH: '{workspace}/memory.jsonl' },
    state: { tool: 'read_graph' },
  }),
  tasks: [
    {
      id: 'remember',
      instruction: 'Remember that Ada, a person, likes tea.',
      calls: [
        {
          tool: 'create_entities',
          arguments: { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] },
        },
      ],
    },
  ],
}
