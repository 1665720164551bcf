#!/usr/bin/env node
import { execute } from '@oclif/core'
import { endThoughHeld } from '../dist/cli/interruption.js'

await execute({ dir: import.meta.url })
endThoughHeld()
