import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** The code of a module of a connector, and a part of the error message. */
const mistakes: Readonly<Record<string, { readonly code: string; readonly message: string }>> = {
  'a syntax error': { code: 'const = 1\nexport default {}\n', message: 'connector.ts:1' },
  'TypeScript that cannot be run': { code: 'enum Words { one }\nexport default {}\n', message: 'connector.ts:1' },
  'a type error while it is imported': {
    code: 'const nothing: any = undefined\nnothing.word\nexport default {}\n',
    message: 'connector.ts:2:9',
  },
  'an import of a missing file': { code: "import './nowhere.ts'\nexport default {}\n", message: 'nowhere.ts' },
  'a name that an imported file declares twice, for which Node gives no place': {
    code: "import './words.ts'\nexport default {}\n",
    message: 'words.ts:2)',
  },
  'no connector': { code: 'export {}\n', message: 'export default defineConnector' },
}

// Modules are loaded by Node, not by the loader of the tests.
const program = `
  const { loadConnector } = await import(process.argv[1])
  for (const dir of process.argv.slice(2)) {
    const project = { dir, manifest: { run: 'connector.ts', topics: [] } }
    const { code, message } = await loadConnector(project, false).catch((error) => error)
    console.log(JSON.stringify({ code, message }))
  }`

test('each mistake in the code of a connector is reported with its place and without a stack', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'headrace-load-mistakes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const dirs: string[] = []
  for (const { code } of Object.values(mistakes)) {
    const dir = await mkdtemp(join(folder, 'project-'))
    await writeFile(join(dir, 'package.json'), '{ "type": "module" }')
    await writeFile(join(dir, 'connector.ts'), code)
    await writeFile(join(dir, 'words.ts'), 'export const word = 1\nexport const word = 2\n')
    dirs.push(dir)
  }
  const loader = new URL('../src/project/load-connector.ts', import.meta.url).href
  const flags = ['--conditions=@headrace/source', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, loader, ...dirs])
  const reported = stdout.trimEnd().split('\n')
  expect(reported).toHaveLength(dirs.length)
  for (const [index, [name, expected]] of Object.entries(mistakes).entries()) {
    const { code, message } = JSON.parse(reported[index]!) as { code: string; message: string }
    expect(code, name).toBe('connector_not_loaded')
    expect(message, name).toContain(expected.message)
    expect(message, name).not.toMatch(/^ {4}at /m)
  }
})
