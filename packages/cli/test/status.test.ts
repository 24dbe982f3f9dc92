import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemTopics } from '@headrace/catalog'
import { openQueue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lostMs, processesTopic } from '../src/presence/process-record.ts'
import { runInProcess } from './command-in-process.ts'
import { connector } from './whole-path/connector-process.ts'
import { engines } from './whole-path/engines.ts'

/** 20 pages, of which the first may be bad. It may wait at its end. */
const source = `import { defineConnector } from '@headrace/sdk'

const encode = (message, writer) => writer.uint32(10).string(message.Name).uint32(16).uint64(BigInt(message.Number))
const schema = { messages: { Page: { name: 'acme.book.Page', encode } }, config: undefined }

export default defineConnector({
  schema,
  async *read({ config, history, signal, progress }) {
    const first = (history()[0]?.page ?? 0) + 1
    for (let page = first; page < first + 20; page++) {
      progress(page, first + 19)
      const Number = config.end === 'bad' && page === first ? 'none' : page
      yield { checkpoint: { page }, messages: { Page: [{ Name: 'page', Number }] } }
    }
    if (config.end === 'wait') await new Promise((resolve) => signal.addEventListener('abort', resolve))
  },
})
`
const proto = 'syntax = "proto3";\npackage acme.book;\nmessage Page {\n  string Name = 1;\n  uint64 Number = 2;\n}\n'

describe.each(engines)('on $name', (engine) => {
  describe.skipIf(engine.missing)('if it is available', () => {
    // A broker has connectors of other tests.
    const name = `book${randomUUID().slice(0, 8)}`
    let dir: string
    let queue: Awaited<ReturnType<(typeof engine)['open']>>
    let at: string[]
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'headrace-status-'))
      queue = await engine.open()
      at = ['--queue', queue.url]
      await writeFile(join(dir, 'connector.js'), source)
      await writeFile(join(dir, 'book.proto'), proto)
      const config = 'config:\n  type: object\n  properties:\n    end: { type: string, default: "" }\n'
      const manifest = `package: ${name}\nowner: acme\nversion: 1.0.0\nrun: connector.js\n${config}`
      await writeFile(join(dir, 'manifest.yaml'), manifest)
    })
    afterAll(async () => {
      await queue.remove()
      await rm(dir, { recursive: true })
    })

    const run = (end: string, ...args: string[]) => connector('run', dir, ...at, '--set', `end=${end}`, ...args)

    async function status() {
      const { code, stdout, stderr } = await connector('status', `acme/${name}`, ...at, '--json')
      expect(stderr).toBe('')
      const { connectors, findings, ...others } = JSON.parse(stdout)
      return { code, found: findings.map((finding: { code: string }) => finding.code), ...others, ...connectors[0] }
    }

    test('a connector that is only registered needs no attention', async () => {
      expect(await connector('register', dir, ...at)).toMatchObject({ code: 0 })
      expect(await status()).toMatchObject({ code: 0, state: 'not run', unit: null, run: null, found: [] })
    })

    test('a run that publishes is running, and nothing needs attention', async () => {
      const stop = new AbortController()
      const waiting = ['run', dir, ...at, '--set', 'end=wait']
      const running = runInProcess(waiting, { variables: process.env, signal: stop.signal })
      await expect.poll(async () => (await status()).unit).toBe('20')
      await expect.poll(async () => (await status()).run).not.toBeNull()
      expect(await status()).toMatchObject({
        ...{ code: 0, state: 'running', found: [], unit: '20', restarts: 0, deadLetters: 0 },
        ...{ writer: `acme.${name}.1_0_0/main`, position: { page: 20 }, source: { lag: 0 }, hidden: [] },
        run: { pid: process.pid, ended: null },
        topics: [`acme.${name}.1_0_0.${name}_Page`],
      })
      const { stdout } = await connector('status', `acme/${name}`, ...at)
      expect(stdout).toMatch(/^CONNECTOR +STATE +POSITION +LAG +UNITS\/S +COMMIT +RESTARTS +DEAD\n/)
      expect(stdout).toMatch(new RegExp(`^acme/${name} +running +20 +0 `, 'm'))
      expect(stdout).toMatch(/\nNothing needs attention\.\n$/)
      stop.abort()
      expect(await running).toMatchObject({ code: 0 })
    })

    test('a run that was stopped needs attention', async () => {
      expect(await status()).toMatchObject({ code: 1, state: 'stopped', found: ['connector_stopped'] })
      const { code, stdout } = await connector('status', `acme/${name}`, ...at)
      expect(code).toBe(1)
      expect(stdout).toMatch(
        /\nOne thing needs attention:\n {2}acme\.\S+ \(connector_stopped\)\n {4}The run on host .* was stopped .*\n {4}Start/,
      )
    })

    test('a run that failed needs attention, with the code of its error', async () => {
      expect(await run('bad', '--on-bad-message', 'stop')).toMatchObject({ code: 1 })
      expect(await status()).toMatchObject({
        ...{ code: 1, state: 'failed', found: ['connector_failed'], restarts: 1 },
        run: { ended: { reason: 'failed', code: 'bad_message', exitCode: 1 } },
      })
    })

    test('a source that has ended needs no attention, but its dead letters do', async () => {
      expect(await run('')).toMatchObject({ code: 0 })
      expect(await status()).toMatchObject({ code: 0, state: 'ended', found: [] })
      expect(await run('bad')).toMatchObject({ code: 0 })
      expect(await status()).toMatchObject({
        ...{ code: 1, state: 'ended', deadLetters: 1, restarts: 3 },
        found: ['connector_restarts', 'dead_letters'],
      })
    })

    test('a run that no longer reports needs attention, and status writes nothing', async () => {
      const opened = await openQueue(queue.url)
      const { run } = await status()
      const long = Date.now() + 1000
      const value = JSON.stringify({
        ...{ id: 'killed', host: 'far', pid: 1, version: '1.0.0', started: long, kind: 'run' },
        ...{ writer: `acme.${name}.1_0_0/main`, state: 'running', endpoints: [], perSecond: { units: 0, records: 0 } },
      })
      const time = Date.parse(run.seen) - lostMs
      await opened.append([{ topic: processesTopic, key: Buffer.from('killed'), value: Buffer.from(value), time }])
      const own = [processesTopic, '_headrace.dead-letters', `acme.${name}.1_0_0.${name}_Page`]
      // Other tests share the broker.
      const compared = engine.name === 'embedded' ? undefined : own.slice(2)
      const before = await opened.describe(compared)
      expect(await status()).toMatchObject({
        code: 1,
        state: 'lost',
        found: expect.arrayContaining(['connector_lost']),
      })
      expect(await opened.describe(compared)).toEqual(before)
      await opened.append([{ topic: processesTopic, key: Buffer.from('killed'), value: null, time: Date.now() }])
      await opened.close()
    })
  })
})

describe('on an embedded queue', () => {
  let folder: string
  let at: string[]
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headrace-status-'))
    at = ['--queue', `embedded:${folder}`]
    const opened = await openQueue(at[1]!)
    await createSystemTopics(opened)
    await opened.createTopics([{ name: 'acme.old.1_0_0.old_Page' }])
    await opened.close()
  })
  afterAll(() => rm(folder, { recursive: true }))

  const status = async (...args: string[]) => connector('status', ...at, ...args)

  test('a gateway is shown while it serves, and a topic without a registration is a finding', async () => {
    const stop = new AbortController()
    const serving = runInProcess(['serve', '--port', '0', ...at], { signal: stop.signal })
    const gateways = async () => JSON.parse((await status('--json')).stdout).gateways
    await expect.poll(gateways).toMatchObject([{ state: 'serving', connections: 0 }])
    const { code, stdout } = await status()
    expect(code).toBe(1)
    expect(stdout).toMatch(/^There are no connectors: none has run with this queue\.\n\nGATEWAY +STATE +CONNECTIONS /)
    expect(stdout).toContain(
      '(topic_unregistered)\n    acme.old.1_0_0.old_Page has no registration, so no gateway serves it.\n',
    )
    stop.abort()
    expect(await serving).toMatchObject({ code: 0 })
    expect(await gateways()).toEqual([])
  })

  test('--watch shows it again on a terminal until it is stopped, and with --json one line each time', async () => {
    const watch = async (isTerminal: boolean, ...args: string[]) => {
      const stop = new AbortController()
      let shown = 0
      const onOutput = () => {
        if (++shown === 2) stop.abort()
      }
      return runInProcess(['status', '--watch', ...at, ...args], { signal: stop.signal, isTerminal, onOutput })
    }
    const [screens, lines] = await Promise.all([watch(true), watch(false, '--json')])
    expect(screens).toMatchObject({ code: 0, stderr: '' })
    expect(screens.stdout.split('\u001b[H\u001b[J')).toEqual(['', expect.any(String), expect.any(String)])
    expect(
      lines.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).connectors),
    ).toEqual([[], []])
  })

  test('a connector that is not there is an error with the nearest name', async () => {
    expect(await status('acme/none')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('connector_not_found'),
    })
  })
})
