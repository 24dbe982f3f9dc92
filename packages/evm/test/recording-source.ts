import { pino } from 'pino'
import type { BlockSource, BlockStep, EventStep, EvmCheckpoint } from '../src/index.ts'

/** A source whose history consists of the yielded blocks, as in the runtime. Keeps logs and progress. */
export interface RecordingSource<Step extends BlockStep | EventStep = BlockStep> extends BlockSource {
  readonly steps: readonly Step[]
  readonly logged: string[]
  readonly progressed: (readonly [at: number, head: number])[]
  /** Takes steps until there are `count`, or until the source ends. */
  take(blocks: AsyncGenerator<Step, void, undefined>, count?: number): Promise<readonly Step[]>
  stop(): void
}

export function createRecordingSource<Step extends BlockStep | EventStep = BlockStep>(
  published: readonly EvmCheckpoint[] = [],
): RecordingSource<Step> {
  const stopped = new AbortController()
  let history = [...published]
  const steps: Step[] = []
  const logged: string[] = []
  const progressed: [number, number][] = []

  return {
    steps,
    logged,
    progressed,
    history: () => history,
    signal: stopped.signal,
    log: pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }),
    progress: (at, head) => progressed.push([at, head]),
    async take(blocks, count = Number.POSITIVE_INFINITY) {
      while (steps.length < count) {
        const { done, value } = await blocks.next()
        if (done) break
        const { checkpoint, revertTo } = value
        if (revertTo !== undefined) history = revertTo === null ? [] : history.slice(history.indexOf(revertTo))
        history = [checkpoint, ...history]
        steps.push(value)
      }
      return steps
    },
    stop: () => stopped.abort(),
  }
}
