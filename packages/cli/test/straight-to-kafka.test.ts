import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connector, startConnector } from './whole-path/connector-process.ts'

const kafka = inject('kafka')
const pythonFolder = inject('pythonFolder')
const example = join(import.meta.dirname, '../../../examples/python-clock')

const foreignTick = (number: number) => ({ seq: null, unit: null, op: 'append', value: { Number: `${number}` } })

describe.skipIf(kafka === null || pythonFolder === null)('a producer in Python without the runtime', () => {
  const queue = `kafka://${kafka}`
  let dir: string
  let topic: string

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'headrace-straight-'))
    await cp(example, dir, { recursive: true })
    // Topics of its own: the broker is shared.
    const own = `clock${randomBytes(6).toString('hex')}`
    const manifest = await readFile(join(dir, 'manifest.yaml'), 'utf8')
    await writeFile(join(dir, 'manifest.yaml'), manifest.replace('package: python-clock', `package: ${own}`))
    const { code, stdout, stderr } = await connector('register', dir, '--queue', queue)
    expect(code, stderr).toBe(0)
    topic = stdout.trim()
    await publish(1, 3)
  })
  afterAll(() => rm(dir, { recursive: true }))

  const publish = (first: number, last: number) =>
    execa(join(pythonFolder!, 'python3'), ['straight_to_kafka.py', kafka!, topic, `${first}`, `${last}`], { cwd: dir })

  test('is read by its registered schema, and has neither seq nor unit', async () => {
    const { stdout } = await connector('read', topic, '--queue', queue, '--json', '--order', 'asc')
    const records = stdout.trimEnd().split('\n')
    expect(records.map((line) => JSON.parse(line))).toMatchObject([1, 2, 3].map(foreignTick))
  })

  test('is served by a gateway', async () => {
    const created = await connector('keys', 'create', '--name', 'test', '--queue', queue)
    const gateway = startConnector(['serve', '--queue', queue, '--port', '0'])
    const [url] = (await once(createInterface(gateway.child.stdout!), 'line')) as [string]
    const headers = { authorization: `Bearer ${created.stdout.trim()}` }
    const response = await fetch(`${url}/api/v1/data/${topic}?order=asc`, { headers })
    const page = await response.json()
    gateway.child.kill('SIGTERM')
    expect(await gateway.ended).toMatchObject({ code: 0 })
    expect(page).toMatchObject({ data: [1, 2, 3].map(foreignTick) })
  })
})
