import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runInProcess } from './command-in-process.ts'
import { connector } from './whole-path/connector-process.ts'
import { engines } from './whole-path/engines.ts'

/** A connector of 20 pages, which may wait at its end. */
const source = `import { defineConnector } from '@headrace/sdk'

const encode = (message, writer) => writer.uint32(10).string(message.Name).uint32(16).uint64(BigInt(message.Number))
const schema = { messages: { Page: { name: 'acme.book.Page', encode } }, config: undefined }

export default defineConnector({
  schema,
  async *read({ config, history, signal, progress }) {
    for (let page = (history()[0]?.page ?? 0) + 1; page <= 20; page++) {
      progress(page, 20)
      yield { checkpoint: { page }, messages: { Page: [{ Name: 'page ' + page, Number: page }] } }
    }
    if (config.wait) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  },
})
`
const proto = `syntax = "proto3";
package acme.book;
message Page {
  string Name = 1;
  uint64 Number = 2;
}
`
const manifest = `package: book
owner: acme
version: 1.0.0
run: connector.js
topics:
  - message: Page
    name: "{chain}_Page"
    key: Name
config:
  type: object
  properties:
    chain: { type: string, pattern: "^[a-z0-9]+$", default: main }
    wait: { type: boolean, default: false }
`

const lines = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe.each(engines)('on $name', (engine) => {
  describe.skipIf(engine.missing)('if it is available', () => {
    let dir: string
    let queue: Awaited<ReturnType<(typeof engine)['open']>>
    let topic: string
    let ofConnector: string[]
    let ofQueue: string[]
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'headrace-operate-'))
      queue = await engine.open()
      topic = `acme.book.1_0_0.${queue.chain}_Page`
      ofQueue = ['--queue', queue.url]
      ofConnector = [dir, '--set', `chain=${queue.chain}`, ...ofQueue]
      await writeFile(join(dir, 'connector.js'), source)
      await writeFile(join(dir, 'book.proto'), proto)
      await writeFile(join(dir, 'manifest.yaml'), manifest)
    })
    afterAll(async () => {
      await queue.remove()
      await rm(dir, { recursive: true })
    })

    /** For tests that do not depend on the engine. They run once, because each command starts a process. */
    const embedded = (name: string, body: () => Promise<void>) => {
      if (engine.name === 'embedded') test(name, body)
    }

    const pages = async () => {
      const { stdout } = await connector('read', topic, ...ofQueue, '--json', '--view', 'log', '--order', 'asc')
      const stack: { seq: string; value: { Number: string } }[] = []
      for (const record of lines(stdout)) {
        if (record.op === 'append') stack.push(record)
        else expect(stack.pop()!.seq).toBe(record.reverts)
      }
      return stack.map(({ value }) => Number(value.Number))
    }

    test('register makes topics readable before anything is published', async () => {
      const { code, stdout, stderr } = await connector('register', ...ofConnector, '--json')
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(lines(stdout)).toEqual([{ topic, message: 'acme.book.Page', instance: queue.chain, partitions: 1 }])
      expect(await connector('register', ...ofConnector)).toMatchObject({ code: 0, stdout: `${topic}\n` })
      expect(await connector('read', topic, ...ofQueue)).toMatchObject({ code: 0, stdout: '' })
    })

    embedded('an instance that has published nothing has no checkpoint to show or reset', async () => {
      const shown = await connector('checkpoint', 'show', ...ofConnector, '--json')
      expect(lines(shown.stdout)).toEqual([{ writer: `acme.book.1_0_0/${queue.chain}`, checkpoint: null }])
      const reset = await connector('checkpoint', 'reset', ...ofConnector, '--start', '--yes')
      expect(reset).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('reset_refused') })
    })

    embedded('another project of the same owner and package cannot reset the checkpoint', async () => {
      const other = await mkdtemp(join(tmpdir(), 'headrace-operate-other-'))
      onTestFinished(() => rm(other, { recursive: true }))
      const shelf = manifest.replace('package: book', 'package: shelf')
      await writeFile(join(other, 'book.proto'), proto)
      await writeFile(join(other, 'manifest.yaml'), `${shelf}id: mine\n`)
      expect(await connector('register', other, ...ofQueue)).toMatchObject({ code: 0 })
      await writeFile(join(other, 'manifest.yaml'), `${shelf}id: other\n`)
      expect(await connector('checkpoint', 'reset', other, '--start', '--yes', ...ofQueue)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('"acme.shelf" belongs to the project with the id "mine"'),
      })
    })

    test('a topic is described', async () => {
      expect(await connector('run', ...ofConnector)).toMatchObject({ code: 0 })
      const { code, stdout } = await connector('topics', 'describe', topic, ...ofQueue, '--json')
      expect(code).toBe(0)
      const [facts] = lines(stdout)
      expect(facts).toMatchObject({
        topic,
        message: 'acme.book.Page',
        key: 'Name',
        time: null,
        connector: { owner: 'acme', package: 'book', version: '1.0.0' },
        writer: `acme.book.1_0_0/${queue.chain}`,
        successor: null,
        checkpoint: { unit: '20', position: { page: 20 } },
        partitions: [{ partition: 0, earliest: '0', oldest: expect.any(String), newest: expect.any(String) }],
        proto: `// book.proto\n${proto.replace('proto3";\n', 'proto3";\n\n').replace('book;\n', 'book;\n\n')}`,
      })
      expect(Date.parse(facts.partitions[0].newest)).toBeGreaterThanOrEqual(Date.parse(facts.partitions[0].oldest))
      const text = await connector('topics', 'describe', topic, ...ofQueue)
      expect(text.stdout).toContain('checkpoint  unit 20, {"page":20}\n')
      expect(text.stdout).toContain('  uint64 Number = 2;\n')
    })

    embedded('a mistyped topic name is refused with the similar name that exists', async () => {
      const wrong = topic.replace('_Page', '_Pgae')
      for (const command of [['topics', 'describe'], ['types'], ['read']]) {
        const { code, stderr } = await connector(...command, wrong, ...ofQueue)
        expect(code).toBe(1)
        expect(stderr).toContain(`There is no topic "${wrong}" in this queue. Did you mean "${topic}"?`)
      }
    })

    embedded('types are printed', async () => {
      const { code, stdout } = await connector('types', topic, ...ofQueue)
      expect(code).toBe(0)
      expect(stdout).toContain('export interface Page {\n  Name: string\n  Number: string\n}\n')
      const [{ code: same }] = lines((await connector('types', topic, ...ofQueue, '--json')).stdout)
      expect(same).toBe(stdout)
    })

    embedded('the current checkpoint is shown, with all earlier ones that a reset can restore', async () => {
      const { stdout } = await connector('checkpoint', 'show', ...ofConnector)
      expect(stdout).toContain('checkpoint  {"page":20}\n')
      expect(stdout).toMatch(new RegExp(`^${topic.replaceAll('.', '\\.')} +0 +20 `, 'm'))
      const history = await connector('checkpoint', 'show', ...ofConnector, '--history', '--json')
      expect(lines(history.stdout)).toEqual(
        range(1, 20)
          .reverse()
          .map((page) => ({ unit: `${page}`, position: { page } })),
      )
    })

    embedded('a reset without a terminal needs --yes, and one target', async () => {
      const reset = (...args: string[]) => connector('checkpoint', 'reset', ...ofConnector, ...args)
      for (const args of [['--start'], ['--yes'], ['--yes', '--start', '--to', '{}'], ['--yes', '--to', '{']])
        expect(await reset(...args)).toMatchObject({ code: 2, stdout: '' })
      expect(await reset('--yes', '--keep-records', '--to', '{"page":1}')).toMatchObject({ code: 2 })
      expect(await reset('--yes', '--to', '{"page":21}')).toMatchObject({ code: 1 })
      expect(await pages()).toEqual(range(1, 20))
    })

    test('a reset reverts later records, also while a run waits, and the next run publishes them again', async () => {
      const log = new PassThrough()
      const stop = new AbortController()
      const run = runInProcess(['run', ...ofConnector, '--set', 'wait=true', '--metrics-port', '0'], {
        variables: process.env,
        signal: stop.signal,
        onError: (text) => log.write(text),
      })
      let metrics = ''
      for await (const line of createInterface(log)) {
        const { msg, url } = JSON.parse(line)
        if (msg === 'metrics served') metrics = url
        if (msg === 'run started') break
      }
      await expect.poll(async () => (await fetch(`${metrics}/health`)).status).toBe(200)
      expect(await (await fetch(`${metrics}/metrics`)).text()).toContain('headrace_connector_units_total 0\n')
      const reset = await connector('checkpoint', 'reset', ...ofConnector, '--to', '{"page":15}', '--yes', '--json')
      expect(reset).toMatchObject({ code: 0 })
      expect(lines(reset.stdout)).toEqual([
        { writer: `acme.book.1_0_0/${queue.chain}`, unit: '21', units: 5, records: 5 },
      ])
      expect(await pages()).toEqual(range(1, 15))
      stop.abort()
      await run
      expect(await connector('run', ...ofConnector)).toMatchObject({ code: 0 })
      expect(await pages()).toEqual(range(1, 20))
    })

    embedded('a reset to the start reverts all records', async () => {
      const reset = await connector('checkpoint', 'reset', ...ofConnector, '--start', '--yes')
      expect(reset).toMatchObject({ code: 0, stdout: expect.stringContaining('reverts 20 units with 20 records') })
      expect(await pages()).toEqual([])
      const { stdout } = await connector('checkpoint', 'show', ...ofConnector)
      expect(stdout).toContain('checkpoint  none: the next run begins at the start of the source\n')
      expect(await connector('run', ...ofConnector)).toMatchObject({ code: 0 })
      expect(await pages()).toEqual(range(1, 20))
    })

    embedded('the successor of a topic is listed and described', async () => {
      const file = join(dir, 'manifest.yaml')
      await writeFile(file, (await readFile(file, 'utf8')).replace('1.0.0', '2.0.0'))
      const refused = await connector('register', ...ofConnector)
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--new-topics') })
      expect(await connector('register', ...ofConnector, '--new-topics')).toMatchObject({ code: 0 })
      const successor = topic.replace('1_0_0', '2_0_0')
      const list = await connector('topics', 'list', ...ofQueue)
      expect(list.stdout).toMatch(new RegExp(`^${topic} .* ${successor}$`, 'm'))
      const described = await connector('topics', 'describe', topic, ...ofQueue)
      expect(described.stdout).toMatch(new RegExp(`^successor +${successor}$`, 'm'))
    })
  })
})
