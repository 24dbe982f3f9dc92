import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runInProcess } from './command-in-process.ts'
import { type ClockProject, createClockProject, manifest, sourceWith } from './faults/clock-project.ts'
import { started } from './faults/suspended-run.ts'
import { connector, startConnector } from './whole-path/connector-process.ts'
import { engines } from './whole-path/engines.ts'

let project: ClockProject
let dir: string
beforeAll(async () => {
  project = await createClockProject(10)
  dir = project.dir
})
afterAll(() => project[Symbol.asyncDispose]())

/** Starts a run in this process. */
function startRun(args: readonly string[]) {
  const controller = new AbortController()
  const { promise: started, resolve, reject } = Promise.withResolvers<void>()
  started.catch(() => {})
  let log = ''
  const ended = runInProcess(['run', ...args], {
    variables: process.env,
    signal: controller.signal,
    onError(text) {
      log += text
      if (log.includes('"msg":"run started"')) resolve()
    },
  })
  void ended.then(({ stderr }) => reject(new Error(`The run ended before it had started: ${stderr}`)))
  const stop = () => {
    controller.abort()
    return ended
  }
  return { started, ended, stop }
}

describe.each(engines)('on $name', (engine) => {
  test.skipIf(engine.missing)(
    'the older of two runs of one connector ends with 76 and the reason, and no record is lost or repeated',
    async () => {
      const queue = await engine.open()
      const args = [dir, '--set', `chain=${queue.chain}`, '--queue', queue.url]
      const first = startRun(args)
      await first.started
      const second = startRun(args)
      await second.started
      const older = await first.ended
      expect(older).toMatchObject({ code: 76, stdout: '' })
      const last = JSON.parse(older.stderr.trimEnd().split('\n').at(-1)!)
      expect(last).toMatchObject({
        code: 'fenced',
        msg: expect.stringMatching(
          new RegExp(
            `^Run \\S+ on host "${hostname()}" claimed "acme.clock.1_0_0/${queue.chain}" at \\S+, so this run stops: a ` +
              'connector instance has one writer.',
          ),
        ),
      })
      const third = startRun(args)
      await third.started
      expect(await second.ended).toMatchObject({ code: 76 })
      expect(await third.stop()).toMatchObject({ code: 0 })
      const topic = `acme.clock.1_0_0.${queue.chain}_Tick`
      const { stdout } = await connector('read', topic, '--queue', queue.url, '--json', '--order', 'asc')
      const records = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(records.length).toBeGreaterThan(3)
      expect(records.map(({ seq, value }) => [seq, value.Number])).toEqual(records.map((_, n) => [`${n}`, `${n}`]))
      await queue.remove()
    },
  )
})

test('a run with an invalid setting or instance creates no queue', async () => {
  const queue = join(dir, 'none')
  for (const [option, value, code, message] of [
    ['--set', 'chain=A B', 1, 'invalid_settings'],
    ['--instance', 'a b', 2, 'It must be 1 to 100 letters'],
  ] as const) {
    const ended = await connector('run', dir, option, value, '--queue', `embedded:${queue}`)
    expect(ended).toMatchObject({ code, stderr: expect.stringContaining(message) })
  }
  expect(existsSync(queue)).toBe(false)
})

test('a run waits for a source that only waits for its signal, and ends with an interrupt', async () => {
  const waiting = sourceWith(10).replace('await delay(10, undefined, { signal })', "await once(signal, 'abort')")
  await writeFile(join(dir, 'waiting.js'), `import { once } from 'node:events'\n${waiting}`)
  await writeFile(join(dir, 'manifest.yaml'), manifest.replace('connector.js', 'waiting.js'))
  const run = startConnector(['run', dir, '--queue', `embedded:${join(dir, 'waiting')}`])
  await started(run)
  // Without a pending timer, the process would have ended by itself.
  await delay(200)
  run.child.kill('SIGINT')
  expect(await run.ended).toMatchObject({ code: 0, signal: null })
  await writeFile(join(dir, 'manifest.yaml'), manifest)
})

test('a run that is stopped while Kafka does not answer ends at once', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const run = startRun([dir, '--queue', `kafka://127.0.0.1:${port}`, '--json'])
  const [socket] = await once(silent, 'connection')
  const { code, stdout } = await run.stop()
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ units: 0, reason: 'stopped' })
  socket.destroy()
  silent.close()
})
