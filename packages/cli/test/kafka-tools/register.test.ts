import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runInProcess } from '../command-in-process.ts'
import { startFakeRegistry } from './fake-registry.ts'

const subject = 'acme.market.1_0_0.test_Trade-value'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-register-'))
  await cp(join(import.meta.dirname, 'market'), folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const register = (url: string, variables: Record<string, string> = {}) =>
  runInProcess(['register', folder, '--queue', `embedded:${folder}/queue`, '--schema-registry', url, '--json'], {
    variables,
  })

async function change(file: string, from: string, to: string): Promise<void> {
  const path = join(folder, 'proto', file)
  await writeFile(path, (await readFile(path, 'utf8')).replace(from, to))
}

/** What is printed for the schema of trades. */
const printed = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((one) => one.subject === subject)

test('all schemas of a topic are copied to a registry, after those that they import, and once', async () => {
  await using registry = await startFakeRegistry('writer', 'p%w')
  const url = `http://writer:p%25w@${registry.host}`
  const first = await register(url)
  expect(first, first.stderr).toMatchObject({ code: 0, stderr: '' })
  expect([...registry.subjects.keys()]).toEqual([
    expect.stringMatching(/^shared\/money\.proto-[0-9a-f]{12}$/),
    subject,
    'acme.market.1_0_0.test_Level-value',
  ])
  const guid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(printed(first.stdout)).toMatchObject([{ version: 1, id: 2, guid, recordGuid: guid, registered: true }])
  const [{ guid: one, recordGuid }] = printed(first.stdout)
  expect(recordGuid).toBe(one)

  expect(printed((await register(url)).stdout)).toMatchObject([{ version: 1, registered: false }])
  expect(registry.writes()).toBe(3)

  // The import changes, and so does the schema that refers to it: its subject is another.
  await change('shared/money.proto', 'int64 cents = 2;', 'int64 cents = 2; string note = 3;')
  const changed = await register(url)
  expect(printed(changed.stdout)).toMatchObject([
    { version: 1, guid: one, registered: false },
    { version: 2, registered: true },
  ])
  expect(changed.stderr).toBe('')

  // Another registry gets both versions, in order, and computes the same GUIDs.
  await using other = await startFakeRegistry('me', 'secret')
  const copied = await register(`http://${other.host}`, { HEADRACE_SCHEMA_REGISTRY: `http://me:secret@${other.host}/` })
  const guids = (stdout: string) => printed(stdout).map((schema) => schema.guid)
  expect(guids(copied.stdout)).toEqual(guids(changed.stdout))
  expect(other.subjects.get(subject)).toHaveLength(2)
})

test('a registry that refuses the password, or is down, ends the command, and the password is in no message', async () => {
  await using registry = await startFakeRegistry('writer', 'right')
  const refused = await register(`http://writer:wr0ng@${registry.host}`)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('schema_registry_refused') })
  const down = await register('http://writer:wr0ng@127.0.0.1:1')
  expect(down).toMatchObject({ code: 69, stderr: expect.stringContaining('schema_registry_unavailable') })
  const invalid = await register(`ftp://writer:wr0ng@${registry.host}`)
  expect(invalid).toMatchObject({ code: 2, stderr: expect.stringContaining('invalid_schema_registry_url') })
  expect(`${refused.stderr}${down.stderr}${invalid.stderr}`).not.toContain('wr0ng')
  expect(registry.subjects.size).toBe(0)
})
