import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { validateManifest } from '@headrace/sdk'
import { execa } from 'execa'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readReferencePage } from '../../testbed/reference/reference-page.ts'

const [program] = readReferencePage('sdk.md').code('A program of your own', 'ts')
let dir: string

/** A folder of a user with a connector and the program of the reference. */
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'headrace-program-'))
  cpSync(join(import.meta.dirname, 'chain'), dir, { recursive: true })
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(dir, 'node_modules'))
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}')
  const chain = join(dir, 'connector.ts')
  cpSync(chain, join(dir, 'chain-connector.ts'))
  writeFileSync(chain, "import { chainConnector } from './chain-connector.ts'\nexport default chainConnector()\n")
  writeFileSync(join(dir, 'program.ts'), program!)
})
afterEach(() => rmSync(dir, { recursive: true }))

const run = () =>
  execa(process.execPath, ['--conditions=@headrace/source', 'program.ts'], {
    ...{ cwd: dir, reject: false, env: { CONNECTOR_END: '4' } },
  })

test('the program of the reference publishes a connector', async () => {
  expect(await run()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^5 units, ended$/m) })
})

test('the program of the reference ends with the problems that validateManifest returns', async () => {
  expect(await validateManifest(dir)).toEqual([])
  writeFileSync(join(dir, 'manifest.yaml'), 'package: chain\nowner: acme\n')
  const [problem, ...others] = await validateManifest(dir)
  expect(others).toEqual([])
  expect(problem).toMatchObject({ severity: 'error', message: expect.stringContaining('version') })
  const { exitCode, stderr } = await run()
  expect(exitCode).toBe(1)
  expect(stderr).toContain(`${problem!.file}:${problem!.line} error: ${problem!.message}`)
})
