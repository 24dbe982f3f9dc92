import { execFile, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { DevOptions } from '../src/developing/process-messages.ts'
import { startRunProcess } from '../src/developing/run-process.ts'
import { createLogging } from '../src/logging/logger.ts'
import { clockSource, createClockProject } from './developing/clock-project.ts'
import { type DevProcess, endDev, isStarted, startDev } from './developing/dev-process.ts'
import { connector, startConnector } from './whole-path/connector-process.ts'

async function runOf({ child }: Pick<DevProcess, 'child'>): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', `${child.pid}`])
  const pids = stdout.trim().split(/\s+/).map(Number)
  expect(pids).toHaveLength(1)
  return pids[0]!
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Blocks its thread, as an endless loop does, but without using a processor. */
const endless = clockSource("{ Word: 'one' }").replace(
  'await delay(20, config, { signal })',
  'if (number > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
)
describe('connector dev leaves no process', () => {
  test.each(['SIGINT', 'SIGHUP'] as const)('after %s to its process group, as a terminal sends it', async (signal) => {
    const project = await createClockProject()
    const dev = startDev([project.dir, '--queue', project.queue], {}, { detached: true })
    await dev.untilShown(({ seq }) => seq === '2')
    const run = await runOf(dev)
    process.kill(-dev.child.pid!, signal)
    expect(await dev.ended).toMatchObject({
      code: 0,
      signal: null,
      stderr: expect.stringContaining('"reason":"stopped"'),
    })
    expect(isRunning(run)).toBe(false)
    const records = await project.records()
    expect(records.map(({ seq, value }) => [seq, value.Number])).toEqual(records.map((_, n) => [`${n}`, `${n}`]))
  })

  test('when it is stopped before the run has started', async () => {
    const project = await createClockProject({ 'src/connector.ts': 'await new Promise(() => {})\nexport {}' })
    const importing = startDev([project.dir, '--queue', project.queue])
    await importing.untilLogged(({ msg }) => msg.startsWith('Ctrl-C'))
    await expect.poll(() => runOf(importing).catch(() => undefined)).toBeDefined()
    const run = await runOf(importing)
    expect(await endDev(importing)).toMatchObject({ code: 0, signal: null })
    expect(isRunning(run)).toBe(false)
  })

  test('after a second signal, although the connector is in an endless loop', async () => {
    const project = await createClockProject({ 'src/connector.ts': endless })
    const dev = startDev([project.dir, '--queue', project.queue])
    await dev.untilLogged(isStarted)
    const run = await runOf(dev)
    dev.child.kill('SIGINT')
    await dev.untilLogged(({ msg }) => msg === 'stopping')
    dev.child.kill('SIGINT')
    expect(await dev.ended).toMatchObject({ code: null, signal: 'SIGINT' })
    expect(isRunning(run)).toBe(false)
  })

  test('when it is killed', async () => {
    const project = await createClockProject()
    const dev = startDev([project.dir, '--queue', project.queue])
    await dev.untilShown(() => true)
    const run = await runOf(dev)
    dev.child.kill('SIGKILL')
    await expect.poll(() => isRunning(run)).toBe(false)
    const records = await project.records()
    expect(records.map(({ seq, value }) => [seq, value.Number])).toEqual(records.map((_, n) => [`${n}`, `${n}`]))
  })

  test('when it is killed while the connector is in an endless loop', async () => {
    const project = await createClockProject({ 'src/connector.ts': endless })
    expect(await connector('codegen', project.dir)).toMatchObject({ code: 0 })
    const file = fileURLToPath(new URL('./developing/orphaned-run.ts', import.meta.url))
    const args = ['--conditions=@headrace/source', file, project.dir, project.queue]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    for await (const line of createInterface(child.stderr)) if (line.includes('run started')) break
    const run = await runOf({ child })
    child.kill('SIGKILL')
    await expect.poll(() => isRunning(run)).toBe(false)
  })
})

test('a run in an endless loop is killed when it is stopped', async () => {
  const project = await createClockProject({ 'src/connector.ts': endless })
  expect(await connector('codegen', project.dir)).toMatchObject({ code: 0 })
  const log = new PassThrough()
  const lines = createInterface(log)
  const options: DevOptions = { queue: project.queue, set: [], onBadMessage: 'stop', metricsHost: '127.0.0.1' }
  const run = startRunProcess({
    start: { dir: project.dir, options, width: 80 },
    logging: createLogging(log),
    note: undefined,
    onMessage: () => {},
    reactMs: 10,
  })
  const logged: string[] = []
  for await (const line of lines) {
    logged.push(line)
    if (line.includes('run started')) break
  }
  await run.stop()
  expect(await run.ended, logged.join('\n')).toEqual({ kind: 'stopped' })
})

test('connector dev ends when the reader of its records closes the pipe', async () => {
  const project = await createClockProject()
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilShown(() => true)
  const run = await runOf(dev)
  dev.child.stdout!.destroy()
  expect(await dev.ended).toMatchObject({ code: 0, signal: null })
  expect(isRunning(run)).toBe(false)
})

test('connector dev prints text without --json, also without a terminal', async () => {
  const project = await createClockProject({
    'src/connector.ts': clockSource("{ Word: 'one' }", {
      head: "console.log('one line'); console.error('another line')",
    }),
  })
  const { child, ended } = startConnector(['dev', project.dir, '--queue', project.queue])
  child.stdout!.once('data', () => child.kill('SIGTERM'))
  const { code, stdout, stderr } = await ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^clock_Tick {2}\S+T\S+Z {2}0:0 {2}Number=0 {2}Word=one\n/)
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d info Ctrl-C ends it/)
  expect(stderr).toMatch(/^one line$/m)
  expect(stderr).toMatch(/^another line$/m)
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d info run started writerId=acme\.clock\.1_0_0\/main/m)
})
