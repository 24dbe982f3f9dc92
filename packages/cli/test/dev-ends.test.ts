import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { clockSource, createClockProject } from './developing/clock-project.ts'
import { type DevProcess, endDev, isStarted, isWaiting, startDev } from './developing/dev-process.ts'
import { startConnector } from './whole-path/connector-process.ts'

async function runOf({ child }: DevProcess): Promise<number> {
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
const deaf = clockSource("{ Word: 'one' }").replace(
  'await delay(20, config, { signal })',
  'await new Promise(() => {})',
)

describe('nothing is left behind', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'after %s to it and all of its group, as a terminal sends it',
    async (signal) => {
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
    },
  )

  test('when it is asked to end before the run has begun, and while it waits', async () => {
    const project = await createClockProject({ 'src/connector.ts': 'await new Promise(() => {})\nexport {}' })
    const importing = startDev([project.dir, '--queue', project.queue])
    await importing.untilLogged(({ msg }) => msg.startsWith('Ctrl-C'))
    await expect.poll(() => runOf(importing).catch(() => undefined)).toBeDefined()
    const run = await runOf(importing)
    expect(await endDev(importing)).toMatchObject({ code: 0, signal: null })
    expect(isRunning(run)).toBe(false)
    await project.write('src/connector.ts', 'export {')
    const waiting = startDev([project.dir, '--queue', project.queue])
    await waiting.untilLogged(isWaiting)
    expect(await endDev(waiting)).toMatchObject({ code: 0, signal: null })
  })

  test.each([
    ['waits for ever', deaf],
    ['is in an endless loop', endless],
  ])('by a second signal, where a connector %s', async (_, source) => {
    const project = await createClockProject({ 'src/connector.ts': source })
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

  test('when it is killed and the connector is in an endless loop', async () => {
    const project = await createClockProject({ 'src/connector.ts': endless })
    const dev = startDev([project.dir, '--queue', project.queue])
    await dev.untilLogged(isStarted)
    const run = await runOf(dev)
    dev.child.kill('SIGKILL')
    await expect.poll(() => isRunning(run)).toBe(false)
  })
})

test('an edit ends a connector that is in an endless loop', async () => {
  const project = await createClockProject({ 'src/connector.ts': endless })
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilLogged(isStarted)
  await project.write('src/connector.ts', clockSource("{ Word: 'two' }"))
  await dev.untilShown(({ value }) => value?.Word === 'two')
  expect(await endDev(dev)).toMatchObject({ code: 0 })
})

test('it ends when nobody reads its records any more', async () => {
  const project = await createClockProject()
  const dev = startDev([project.dir, '--queue', project.queue])
  await dev.untilShown(() => true)
  const run = await runOf(dev)
  dev.child.stdout!.destroy()
  expect(await dev.ended).toMatchObject({ code: 0, signal: null })
  expect(isRunning(run)).toBe(false)
})

test('for people it prints lines, without a terminal too', async () => {
  const project = await createClockProject({
    'src/connector.ts': clockSource("{ Word: 'one' }", { head: "console.log('begun'); console.error('and heard')" }),
  })
  const { child, ended } = startConnector(['dev', project.dir, '--queue', project.queue])
  child.stdout!.once('data', () => child.kill('SIGINT'))
  const { code, stdout, stderr } = await ended
  expect(code).toBe(0)
  expect(stdout).toMatch(/^clock_Tick {2}\S+T\S+Z {2}0:0 {2}Number=0 {2}Word=one\n/)
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d info Ctrl-C ends it/)
  expect(stderr).toMatch(/^begun$/m)
  expect(stderr).toMatch(/^and heard$/m)
  expect(stderr).toMatch(/^\d\d:\d\d:\d\d info run started writerId=acme\.clock\.1_0_0\/main/m)
})
