import { mcpEnvironment, mcpWorld } from '@rlenv/world-mcp'
import { describeWorld } from 'rlenv/testing'
import { notesOptions, notesServer } from './notes-server.ts'

const blind = notesOptions()
const seen = notesOptions(notesServer([], { state: { tool: 'list_notes' } }))

describeWorld(() => mcpWorld({ environments: [blind] }), await mcpEnvironment(blind))
describeWorld(() => mcpWorld({ environments: [seen], prefetch: 0 }), await mcpEnvironment(seen))
