/** The example connector, which publishes to a new embedded queue in each run. */
import { createTestProject } from '@headrace/sdk/testing'
import connector from '../../../examples/evm/src/connector.ts'
import { serveCalls } from '../program.ts'

export interface RunSettings {
  readonly rpc: string
  readonly start: number
  readonly end: number
  /** Interval of polling the head, in seconds. Default 1. */
  readonly poll?: number
}

export interface RunFigures {
  /** From the first request to the last commit. */
  readonly ms: number
  /** Maximum resident memory after a commit, in the first half of the blocks and in all of them. */
  readonly halfBytes: number
  readonly bytes: number
}

serveCalls({
  async run(settings: RunSettings): Promise<RunFigures> {
    await using project = await createTestProject(new URL('../../../examples/evm', import.meta.url), {
      settings: { ...settings },
    })
    const half = (settings.end - settings.start) / 2
    let startedAt = 0
    let [halfBytes, bytes] = [0, 0]
    await project.run(connector, {
      observer: {
        onStart() {
          startedAt = performance.now()
        },
        onCommit({ units }) {
          bytes = Math.max(bytes, process.memoryUsage.rss())
          if (units <= half) halfBytes = bytes
        },
      },
    })
    return { ms: performance.now() - startedAt, halfBytes, bytes }
  },
})
