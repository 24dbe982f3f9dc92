import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createSystemTopics,
  loadProject,
  readRegistry,
  registerTopics,
  resolveSettings,
  resolveTopics,
  topicRegistrations,
} from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { describe, expect, onTestFinished, test } from 'vitest'
import { copyExample } from './project-copy.ts'
import { connector } from './whole-path/connector-process.ts'

test('a run that would break readers of its topics is refused with the place of the change, and changes nothing', async () => {
  const copy = await copyExample()
  onTestFinished(() => copy.remove())
  const url = `embedded:${join(copy.dir, 'queue')}`
  const file = join(copy.dir, 'proto/evm.proto')
  const before = await readFile(file, 'utf8')
  await writeFile(file, before.replace('uint64 Number', 'int32 Number'))
  const { project } = await loadProject(copy.dir)
  const settings = await resolveSettings(project!.manifest, { sets: ['rpc=http://127.0.0.1:1'] })
  const { instance, topics } = resolveTopics(project!, settings)
  const queue = await openQueue(url)
  await createSystemTopics(queue)
  await registerTopics(queue, topicRegistrations(project!, instance, topics))
  const registered = await readRegistry(queue)
  await queue.close()

  await writeFile(file, before)
  const line = before.split('\n').findIndex((text) => text.includes('uint64 Number')) + 1
  const { code, stdout, stderr } = await connector('run', copy.dir, '--queue', url, '--set', 'rpc=http://127.0.0.1:1')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('incompatible_schema')
  expect(stderr).toContain(`${file}:${line}:`)
  expect(stderr).toContain('Field \\"Number\\" of Block was int32 and is uint64.')

  const after = await openQueue(url)
  onTestFinished(() => after.close())
  expect(await readRegistry(after)).toEqual(registered)
  expect((await after.describe()).map(({ name }) => name).filter((name) => !name.startsWith('_headrace.'))).toEqual([])
})

const forms = {
  message: { declaration: 'message P { int32 x = 1; }', field: 'uint32(10).fork().uint32(8).int32(7).join()' },
  enum: { declaration: 'enum P { A = 0; B = 1; }', field: 'uint32(8).int32(1)' },
}

/** A connector that publishes one record, whose field "p" is a message or an enum of the same name. */
async function createProject(form: keyof typeof forms) {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-incompatible-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const proto = join(dir, 'acme.proto')
  const declare = (type: keyof typeof forms) =>
    writeFile(proto, `syntax = "proto3";\npackage acme;\nmessage M { P p = 1; }\n${forms[type].declaration}\n`)
  await declare(form)
  await writeFile(
    join(dir, 'manifest.yaml'),
    'package: kinds\nowner: acme\nversion: 1.0.0\nrun: connector.js\ntopics: [{ message: M }]\n',
  )
  await writeFile(
    join(dir, 'connector.js'),
    `import { defineConnector } from '@headrace/sdk'
const encode = (_, writer) => writer.${forms[form].field}
export default defineConnector({
  schema: { messages: { M: { name: 'acme.M', encode } }, config: undefined },
  async *read({ history }) {
    if (history().length === 0) yield { checkpoint: 1, messages: { M: [{}] } }
  },
})
`,
  )
  return { dir, proto, declare, url: `embedded:${join(dir, 'queue')}` }
}

describe.each([
  ['message', 'enum', '{"p":{"x":7}}'],
  ['enum', 'message', '{"p":"B"}'],
] as const)('a topic with a field of the %s P', (before, after, stored) => {
  test(`is refused by a run and by --against if P becomes the ${after} P, and its records stay readable`, async () => {
    const { dir, proto, declare, url } = await createProject(before)
    expect(await connector('run', dir, '--queue', url)).toMatchObject({ code: 0 })
    const read = () => connector('read', 'acme.kinds.1_0_0.kinds_M', '--queue', url, '--json')
    const records = await read()
    expect(JSON.parse(records.stdout)).toMatchObject({ value: JSON.parse(stored) })

    await declare(after)
    const problem = `${proto}:3:15: error: Field "p" of M was ${before} acme.P and is ${after} acme.P.`
    expect(await connector('manifest', 'validate', dir, '--against', url)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(problem),
      stderr: '',
    })
    const run = await connector('run', dir, '--queue', url)
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toContain('incompatible_schema')
    expect(run.stderr).toContain(problem.replace(' error:', '').replaceAll('"', '\\"'))
    expect(await read()).toEqual(records)
  })
})
