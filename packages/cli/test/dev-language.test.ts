import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { endDev, isError, isWaiting, startDev } from './developing/dev-process.ts'
import { connector } from './whole-path/connector-process.ts'

const pythonFolder = inject('pythonFolder')
const topic = 'headrace.python-clock.1_0_0.python-clock_Tick'

async function startClock(...args: string[]) {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-dev-clock-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  await cp(join(import.meta.dirname, '../../../examples/python-clock'), dir, { recursive: true })
  const queue = `embedded:${join(dir, '.headrace')}`
  const dev = startDev([dir, '--queue', queue, '--set', 'interval=0.05', ...args], {
    PATH: `${pythonFolder}:${process.env.PATH}`,
  })
  const source = join(dir, 'connector.py')
  return { dev, dir, queue, source, whole: await readFile(source, 'utf8') }
}

async function processesIn(dir: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid='])
  const pids = stdout.trim().split(/\s+/)
  const folders = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')))
  return pids.filter((_, index) => folders[index] === dir)
}

describe.skipIf(pythonFolder === null)('a connector in Python', () => {
  test('continues after an edit, waits after one that does not run, and ends with the command', async () => {
    const { dev, dir, queue, source, whole } = await startClock()
    await dev.untilLogged(({ msg }) => msg === 'child started')
    await dev.untilShown(({ seq }) => seq === '2')
    await writeFile(source, `syntax error\n${whole}`)
    const logged = await dev.untilLogged(isError)
    expect(logged).toMatchObject({ code: 'child_ended', msg: expect.stringContaining('SyntaxError') })
    await dev.untilLogged(isWaiting)
    await writeFile(source, `${whole}\n# fixed\n`)
    await dev.untilLogged(({ msg }) => msg === 'run started')
    const last = Number(dev.shown.findLast(({ seq }) => seq !== undefined)!.seq)
    await dev.untilShown(({ seq }) => Number(seq) > last + 2)
    expect(await processesIn(dir)).toHaveLength(1)
    expect(await endDev(dev)).toMatchObject({ code: 0 })
    await expect.poll(() => processesIn(dir)).toEqual([])
    const { stdout } = await connector('read', topic, '--queue', queue, '--json', '--order', 'asc')
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records.map(({ seq, value }) => [seq, value.Number])).toEqual(records.map((_, n) => [`${n}`, `${n + 1}`]))
  })

  test('ends when the command is killed', async () => {
    const { dev, dir } = await startClock()
    await dev.untilShown(({ seq }) => seq === '2')
    expect(await processesIn(dir)).toHaveLength(1)
    dev.child.kill('SIGKILL')
    await dev.ended
    await expect.poll(() => processesIn(dir)).toEqual([])
  })

  test('that ignores the request to stop is killed by a second signal', async () => {
    const { dev, dir, source } = await startClock()
    const endless = 'import time\nfrom process_protocol import connect\nconnect().ready()\nwhile True: time.sleep(1)\n'
    await dev.untilShown(() => true)
    await writeFile(source, endless)
    await dev.untilLogged(({ msg }) => msg === 'changed')
    await dev.untilLogged(({ msg }) => msg === 'child started')
    dev.child.kill('SIGINT')
    await dev.untilLogged(({ msg }) => msg === 'stopping')
    dev.child.kill('SIGINT')
    expect(await dev.ended).toMatchObject({ code: null, signal: 'SIGINT' })
    await expect.poll(() => processesIn(dir)).toEqual([])
  })
})
