import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { typeLine, typeToEnd, type UserCommand, userEnvironment } from '../../../testbed/registry/user-command.ts'
import { installManager, npx, type ScaffoldManager } from './scaffold-manager.ts'

export interface TemplateTest {
  readonly requirement?: Requirement
  readonly manager?: ScaffoldManager
}

export interface Requirement {
  readonly program: string
  readonly args: readonly string[]
}

declare module 'vitest' {
  interface TaskMeta {
    note?: string
  }
}

/** Tests that the printed commands lead to records that a gateway serves. */
export function describeTemplate(template: string, { requirement, manager = npx }: TemplateTest = {}): void {
  const registry = inject('registry')
  const obstacle = registry ? missing(requirement) : 'no registry of npm packages'
  const subject = `the template ${template}, made with ${manager.title}`
  describe.skipIf(obstacle)(`${subject}${obstacle ? `, skipped: ${obstacle}` : ''}`, () => {
    test('the printed commands lead from an empty folder to served records', async ({ task }) => {
      const folder = await mkdtemp(join(tmpdir(), 'headrace-scaffold-'))
      onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 }))
      const env = await installManager(manager, join(folder, 'manager'), userEnvironment(registry!))

      const cache = existsSync(registry!.npmCache) ? '' : ' from an empty npm cache'
      const started = performance.now()
      const line = `${manager.create} demo --template ${template} --yes`
      const made = await typeToEnd(line, folder, env)
      const madeMs = performance.now() - started
      const [enter, ...commands] = nextCommands(made.output())
      expect(enter).toBe('cd demo')
      const { packageManager } = JSON.parse(await readFile(join(folder, 'demo/package.json'), 'utf8'))
      expect(packageManager).toMatch(manager.recorded)
      expect(commands).not.toEqual([])

      const project = join(folder, 'demo')
      const records = await followCommands(commands, project, env)
      const totalMs = performance.now() - started
      const times = `ready${cache} after ${seconds(madeMs)} (${stepTimes(made.output())}), served after ${seconds(totalMs)}`
      task.meta.note = `Template ${template} with ${manager.title}: ${times}.`
      expect(records.length).toBeGreaterThan(0)
      for (const { value } of records) expect(value).toBeTypeOf('object')
    })
  })
}

/** The lines under "Next". */
function nextCommands(output: string): string[] {
  const [, lines] = /^Next:\n((?: {2}.+\n)+)/m.exec(output) ?? []
  if (lines === undefined) throw new Error(`There is no "Next:" in:\n${output}`)
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim())
}

function stepTimes(output: string): string {
  return [...output.matchAll(/^ {2}(\S.*?) +(\d+\.\d s)$/gm)].map(([, step, time]) => `${step} ${time}`).join(', ')
}

interface ServedRecord {
  readonly value: unknown
}

/** Types each command into a terminal of its own, and runs the printed curl command. */
async function followCommands(commands: readonly string[], project: string, env: Record<string, string>) {
  const running: UserCommand[] = []
  onTestFinished(() => {
    for (const command of running) command.kill()
  })
  for (const line of commands) running.push(typeLine(line, project, env))
  const line = await waitFor(running, () => running.map(curlLine).find(Boolean))
  const { stdout } = await typeToEnd(line, project, env)
  for (const command of running) await command.interrupt()
  return (JSON.parse(stdout()) as { data: ServedRecord[] }).data
}

/** Waits, and rejects if a running command fails. */
async function waitFor<T>(running: readonly UserCommand[], find: () => T | Promise<T>): Promise<NonNullable<T>> {
  let failure: Error | undefined
  for (const { line, ended, output } of running)
    void ended.then((code) => {
      if (code !== 0) failure = new Error(`"${line}" ended with ${code}. It printed:\n${output()}`)
    })
  const deadline = performance.now() + patienceMs
  for (;;) {
    const found = await find()
    if (found) return found
    if (failure) throw failure
    if (performance.now() > deadline)
      throw new Error(
        `No records were served in time. ${running.map(({ line, output }) => `"${line}" printed:\n${output()}`).join('\n')}`,
      )
    await pause(100)
  }
}

const curlLine = ({ output }: UserCommand) => /^curl .+$/m.exec(output())?.[0]

function missing(requirement: Requirement | undefined): string | undefined {
  if (!requirement) return undefined
  const { status } = spawnSync(requirement.program, requirement.args)
  return status === 0 ? undefined : `"${[requirement.program, ...requirement.args].join(' ')}" does not run here`
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const patienceMs = 120_000
