import assert from 'node:assert'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { DestinationCase } from './case.ts'
import type { KillTest } from './destination-test.ts'
import { createKillPlan } from './kill-plan.ts'

const steps = ['open', 'prepare', 'cursor', 'apply'] as const
/** A step takes about as long. */
const longestDelayMs = 20

export function killCases(kill: KillTest): readonly DestinationCase[] {
  const { count = 5, random = Math.random } = kill
  return [
    {
      name: `a process that is killed ${count} times leaves rows and cursors that belong together`,
      async run(bench) {
        const { topics, batches } = createKillPlan(bench.definition.records !== 'final')
        for (let number = 0; number < count; number++) {
          const step = steps[Math.min(number, steps.length - 1)]!
          await runChild(kill, bench.place, {
            step,
            after: step === 'apply' ? 1 + Math.floor(random() * 20) : 1,
            delayMs: random() * longestDelayMs,
          })
        }
        await runChild(kill, bench.place, undefined)
        bench.expectStored(...batches.flat())
        await bench.check(topics)
      },
    },
  ]
}

interface Moment {
  readonly step: (typeof steps)[number]
  /** How often the step is reached. */
  readonly after: number
  readonly delayMs: number
}

/** Runs to the end, or is killed at a moment. */
async function runChild({ module, execArgv = process.execArgv }: KillTest, place: string, moment: Moment | undefined) {
  // The extension is that of this file: sources run as they are.
  const program = new URL(`./kill-child${extname(import.meta.url)}`, import.meta.url)
  const child = spawn(process.execPath, [...execArgv, fileURLToPath(program), module.href, place], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += chunk
  })
  let reached = 0
  let last = ''
  for await (const line of createInterface({ input: child.stdout })) {
    last = line
    if (!moment || line !== moment.step || ++reached !== moment.after) continue
    await delay(moment.delayMs)
    child.kill('SIGKILL')
  }
  const [, signal] = await exited
  assert(signal === 'SIGKILL' || last === 'end', `A child process ended after the step "${last}": ${errors}`)
}
