import { randomBytes } from 'node:crypto'
import { copyFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openQueue, type Queue } from '@headrace/queue'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type ConnectorProcess, connector, startConnector } from './whole-path/connector-process.ts'
import { engines } from './whole-path/engines.ts'
import { untilPublished } from './whole-path/published.ts'

const last = 200

// A child process does not depend on the engine, so each language runs on one engine only.
const examples = [
  { name: 'python-clock', language: 'Python', tools: inject('pythonFolder'), on: 'embedded' },
  { name: 'go-clock', language: 'Go', tools: inject('goFolder'), on: 'Kafka' },
]

const numbers = (first: number, end: number) =>
  Array.from({ length: end - first + 1 }, (_, index) => `${first + index}`)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function childOf({ child }: ConnectorProcess): Promise<number> {
  for await (const line of createInterface(child.stderr!)) {
    const { msg, pid } = JSON.parse(line) as { msg: string; pid: number }
    if (msg === 'child started') return pid
  }
  throw new Error('The run ended without a child.')
}

for (const { name, language, tools, on } of examples)
  for (const engine of engines.filter((one) => one.name === on))
    describe.skipIf(engine.missing || tools === null)(`the clock in ${language} on ${engine.name}`, () => {
      let dir: string
      let topic: string
      let opened: Awaited<ReturnType<typeof engine.open>>
      let queue: Queue
      const run = (end: number, interval = 0) => [
        ...['run', dir, '--queue', opened.url, '--set', `end=${end}`, '--set', `interval=${interval}`],
      ]
      const environment = () => ({ PATH: `${tools}:${process.env.PATH}` })
      const runToEnd = (end: number) => startConnector(run(end), environment()).ended
      const ticks = async () => {
        const { stdout } = await connector('read', topic, '--queue', opened.url, '--json', '--order', 'asc')
        const lines = stdout.split('\n').filter(Boolean)
        return lines.map((line) => JSON.parse(line) as { seq: string; unit: string; value: { Number: string } })
      }

      beforeEach(async () => {
        opened = await engine.open()
        queue = await openQueue(opened.url)
        dir = await mkdtemp(join(tmpdir(), 'headrace-clock-'))
        await cp(join(import.meta.dirname, '../../../examples', name), dir, { recursive: true })
        if (name === 'go-clock') await copyFile(join(tools!, name), join(dir, name))
        // Topics of its own for each test: the broker is shared.
        const own = `clock${randomBytes(6).toString('hex')}`
        const manifest = await readFile(join(dir, 'manifest.yaml'), 'utf8')
        await writeFile(join(dir, 'manifest.yaml'), manifest.replace(`package: ${name}`, `package: ${own}`))
        topic = `headrace.${own}.1_0_0.${own}_Tick`
      })

      afterEach(async () => {
        await queue.close()
        await opened.remove()
        await rm(dir, { recursive: true })
      })

      test('prints its ticks and publishes nothing in a dry run', async () => {
        const { code, stdout } = await startConnector([...run(1200), '--dry-run', '--json'], environment()).ended
        expect(code).toBe(0)
        expect(stdout.trimEnd().split('\n')).toHaveLength(1200)
        expect(await queue.describe([topic])).toEqual([])
      })

      test('ends with 0 after SIGTERM, and its child ends with it', async () => {
        const running = startConnector(run(last, 0.05), environment())
        const pid = await childOf(running)
        running.child.stderr!.resume()
        await untilPublished(queue, topic, 3, new AbortController().signal)
        running.child.kill('SIGTERM')
        expect(await running.ended).toMatchObject({ code: 0, signal: null })
        expect(isRunning(pid)).toBe(false)
      })

      test('publishes each tick once although the command is killed, and its child ends with it', async () => {
        const running = startConnector(run(last, 0.01), environment())
        const pid = await childOf(running)
        running.child.stderr!.resume()
        await untilPublished(queue, topic, 10, new AbortController().signal)
        running.child.kill('SIGKILL')
        expect(await running.ended, 'killed while it was publishing').toMatchObject({ signal: 'SIGKILL' })
        await expect.poll(() => isRunning(pid), { timeout: 10_000 }).toBe(false)
        expect(await runToEnd(last)).toMatchObject({ code: 0 })
        const published = await ticks()
        expect(published.map(({ value }) => value.Number)).toEqual(numbers(1, last))
        expect(published.map(({ seq }) => seq)).toEqual(numbers(0, last - 1))
        expect(published.map(({ unit }) => unit)).toEqual(numbers(1, last))
        // The next run also continues after a run that ended by itself.
        expect(await runToEnd(last + 5)).toMatchObject({ code: 0 })
        expect((await ticks()).map(({ value }) => value.Number)).toEqual(numbers(1, last + 5))
      })
    })
