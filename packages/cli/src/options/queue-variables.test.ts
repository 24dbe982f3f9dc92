import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runInProcess } from '../../test/command-in-process.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-variables-'))
  vi.spyOn(process, 'cwd').mockReturnValue(folder)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

const missing = (name: string): string => `embedded:${join(folder, name)}`
const list = (variables: Readonly<Record<string, string>>, ...args: string[]) =>
  runInProcess(['topics', 'list', ...args], { variables })

test('HEADRACE_QUEUE replaces --queue, and the option wins over it', async () => {
  await (await openQueue(missing('made'))).close()
  const variables = { HEADRACE_QUEUE: missing('made') }
  expect(await list(variables, '--json')).toMatchObject({ code: 0, stdout: '' })
  const other = await list(variables, '--queue', missing('other'))
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is no queue in ${folder}/other`) })
  expect(other.stderr).not.toContain('HEADRACE_QUEUE')
})

test('an error names the variable that set the queue', async () => {
  expect(await list({ HEADRACE_QUEUE: missing('none') })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/There is no queue in .* This queue was set by HEADRACE_QUEUE\. \(\w+\)\n$/),
  })
  expect(await list({ HEADRACE_QUEUE: 'redis://localhost' })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /"redis:\/\/localhost" is neither .* This queue was set by HEADRACE_QUEUE\. \(\w+\)\n$/,
    ),
  })
})

test('a command without a folder reads the .env file of the current folder, and the environment wins over it', async () => {
  const file = join(folder, '.env')
  await writeFile(file, `HEADRACE_QUEUE=${missing('file')}\nCONNECTOR_X=1\n`)
  const { code, stderr } = await list({})
  expect(code).toBe(1)
  expect(stderr).toContain(`read from ${file}: HEADRACE_QUEUE\n`)
  expect(stderr).toContain(`This queue was set by HEADRACE_QUEUE in ${file}.`)
  expect((await list({ HEADRACE_QUEUE: missing('variable') })).stderr).toMatch(
    /^error: There is no queue in .*variable.* This queue was set by HEADRACE_QUEUE\. \(\w+\)\n$/,
  )
  expect((await list({}, '--queue', missing('option'))).stderr).toMatch(/^error: There is no queue in .*option/)
})

test('a command with a folder reads the .env file there', async () => {
  const dir = await mkdtemp(join(folder, 'project-'))
  await writeFile(join(dir, 'manifest.yaml'), 'owner: acme\npackage: book\nversion: 1.0.0\n')
  await writeFile(join(dir, 'book.proto'), 'syntax = "proto3"; message Page { string Text = 1; }')
  await writeFile(join(dir, '.env'), `HEADRACE_QUEUE=${missing('project')}\n`)
  expect((await runInProcess(['checkpoint', 'show', dir])).stderr).toContain(
    `This queue was set by HEADRACE_QUEUE in ${join(dir, '.env')}.`,
  )
})

test('the .env file may set the Kafka configuration, which only a Kafka uses', async () => {
  await writeFile(join(folder, '.env'), `HEADRACE_KAFKA_CONFIG=${folder}/none.properties\n`)
  const kafka = await list({}, '--queue', 'kafka://127.0.0.1:1')
  expect(kafka).toMatchObject({ code: 1, stderr: expect.stringContaining('none.properties') })
  expect((await list({}, '--queue', missing('x'))).stderr).not.toContain('none.properties')
})

test('an invalid .env file ends a command that needs it', async () => {
  await writeFile(join(folder, '.env'), 'no variable\n')
  expect(await list({})).toMatchObject({ code: 1, stderr: expect.stringContaining('.env:1:1: This line has no "="') })
})
