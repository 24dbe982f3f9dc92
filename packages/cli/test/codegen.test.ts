import { appendFile, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyExample, exampleEvm } from './project-copy.ts'
import { connector } from './whole-path/connector-process.ts'

let copy: Awaited<ReturnType<typeof copyExample>>
beforeAll(async () => {
  copy = await copyExample()
})
afterAll(() => copy.remove())

test('the generated files of the example are up to date', async () => {
  expect(await connector('codegen', exampleEvm, '--check')).toEqual({ code: 0, stdout: '', stderr: '' })
})

test('the same project gives the same bytes, from nothing', async () => {
  await rm(join(copy.dir, 'src/generated'), { recursive: true })
  expect(await connector('codegen', copy.dir, '--json')).toMatchObject({ code: 0, stderr: '' })
  for (const file of ['evm.ts', 'schema.ts', 'google/protobuf/timestamp.ts'])
    expect(await readFile(join(copy.dir, 'src/generated', file), 'utf8')).toBe(
      await readFile(join(exampleEvm, 'src/generated', file), 'utf8'),
    )
})

test('--check names the files that differ, changes none and exits with 1', async () => {
  const file = join(copy.dir, 'src/generated/evm.ts')
  await appendFile(file, '// edited\n')
  const { code, stdout, stderr } = await connector('codegen', copy.dir, '--check', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toEqual({ file: expect.stringContaining('src/generated/evm.ts'), change: 'changed' })
  expect(stderr).toContain('"generated_files_differ"')
  expect(await readFile(file, 'utf8')).toContain('// edited')
  expect(await connector('codegen', copy.dir)).toMatchObject({ code: 0 })
  expect(await connector('codegen', copy.dir, '--check')).toMatchObject({ code: 0 })
})
