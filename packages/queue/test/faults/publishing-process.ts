import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { PublishStep } from '../units.ts'

export interface PublishingProcessOptions {
  readonly url: string
  readonly series: string
  /** The publishing program in `programs`. Default `publish-units.ts`. */
  readonly program?: string
  /** Stops at this step of the unit that is `after` later than the first one. */
  readonly hold: { readonly at: PublishStep; readonly after: number } | undefined
}

/** A process that publishes units until it is killed. */
export interface PublishingProcess {
  /** Resolves with the unit when a step of the given unit, or of any, is reached. Rejects if the process ends before. */
  reached(step: PublishStep, unit?: number): Promise<number>
  /** `kill -9`. Resolves with the last step that it reached. */
  kill(): Promise<SeenStep>
}

export interface SeenStep {
  readonly step: PublishStep
  readonly unit: number
}

export function startPublishing(options: PublishingProcessOptions): PublishingProcess {
  const { url, series, hold, program = 'publish-units.ts' } = options
  const path = fileURLToPath(new URL(`../programs/${program}`, import.meta.url))
  const holding = hold ? ['--hold-at', hold.at, '--hold-after', `${hold.after}`] : []
  const child = spawn(process.execPath, ['--conditions=@headrace/source', path, url, series, ...holding], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const steps = watchSteps(child)
  const ended = once(child, 'close')
  const abandon = (): void => void child.kill('SIGKILL')
  process.on('exit', abandon)
  ended.then(() => process.off('exit', abandon))
  return {
    async reached(step, unit) {
      for (;;) {
        const seen = steps.seen.find((passed) => passed.step === step && (unit === undefined || passed.unit === unit))
        if (seen) return seen.unit
        const end = child.exitCode ?? child.signalCode
        if (end !== null) throw new Error(`The publishing process ended with ${end}.`)
        await Promise.race([once(steps.events, 'step'), ended])
      }
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
      return steps.seen.findLast(({ step }) => step !== 'compacting')!
    },
  }
}

/** Whether a writer may continue at a unit after another was killed: only the outcome of a running commit is open. */
export function mayFollow(unit: number, { step, unit: last }: SeenStep): boolean {
  if (step === 'committed') return unit === last + 1
  if (step === 'committing') return unit === last || unit === last + 1
  return unit === last
}

function watchSteps(child: ChildProcess): { readonly seen: SeenStep[]; readonly events: EventEmitter } {
  const seen: SeenStep[] = []
  const events = new EventEmitter()
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const [step, unit] = line.split(' ') as [PublishStep, string]
    seen.push({ step, unit: Number(unit) })
    events.emit('step')
  })
  return { seen, events }
}
