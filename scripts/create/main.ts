import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCreateConnector } from '../../packages/create-connector/src/run-create-connector.ts'
import { packPackages } from '../../packages/testbed/registry/tarballs.ts'

const folder = mkdtempSync(join(tmpdir(), 'headrace-packages-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const packages = await packPackages(folder)
const clone = { folder: join(import.meta.dirname, '../..'), packages }
process.exit(await runCreateConnector(process.argv.slice(2), { name: 'npm run create --', clone }))
