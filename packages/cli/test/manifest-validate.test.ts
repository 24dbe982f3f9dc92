import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyExample, exampleEvm } from './project-copy.ts'
import { connector } from './whole-path/connector-process.ts'

let copy: Awaited<ReturnType<typeof copyExample>>
let manifest: string
beforeAll(async () => {
  copy = await copyExample()
  manifest = join(copy.dir, 'manifest.yaml')
})
afterAll(() => copy.remove())

test('the example is valid', async () => {
  expect(await connector('manifest', 'validate', exampleEvm, '--strict')).toMatchObject({ code: 0, stderr: '' })
  const { stdout } = await connector('manifest', 'validate', exampleEvm, '--json')
  expect(JSON.parse(stdout)).toEqual({ dir: exampleEvm, valid: true, problems: [] })
})

test('a mistake is reported with its place, and the exit code is 1', async () => {
  const text = await readFile(manifest, 'utf8')
  const line = text.split('\n').findIndex((content) => content.startsWith('version: ')) + 1
  await writeFile(manifest, text.replace(/^version: .*$/m, 'version: "1.0"'))
  const { code, stdout } = await connector('manifest', 'validate', copy.dir)
  expect(code).toBe(1)
  expect(stdout).toMatch(new RegExp(`^${manifest}:${line}:\\d+: error: `))
  const json = await connector('manifest', 'validate', copy.dir, '--json')
  expect(json.code).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, problems: [{ severity: 'error', line }] })
  await writeFile(manifest, text)
})

test('a warning is an error only with --strict', async () => {
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, `${text}\nauthors: me\n`)
  expect(await connector('manifest', 'validate', copy.dir)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('warning'),
  })
  expect(await connector('manifest', 'validate', copy.dir, '--strict')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('error'),
  })
  await writeFile(manifest, text)
})
