import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArguments, printHelp } from '../build/arguments.js'
import { dashboardFiles } from './dashboards.ts'

printHelp(`
npm run dashboards

Writes the dashboards for Grafana to deploy/grafana. It has no options. A test compares the files with what this writes.
`)
parseArguments({ options: {} })

for (const [name, text] of Object.entries(dashboardFiles))
  writeFileSync(join(import.meta.dirname, '../../deploy/grafana', name), text)
