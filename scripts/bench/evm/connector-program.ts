/** A connector, which publishes to a new embedded queue in each run. */
import { join } from 'node:path'
import type { Connector } from '@headrace/sdk'
import { createTestProject } from '@headrace/sdk/testing'
import { serveCalls } from '../program.ts'

export interface ConnectorRun {
  /** Of its project. */
  readonly folder: string
  readonly settings: {
    readonly rpc: string
    readonly start: number
    readonly end: number
    readonly receipts?: boolean
    readonly logs?: boolean
  }
}

export interface RunFigures {
  /** From the first request to the last commit. */
  readonly ms: number
  /** Published records. */
  readonly records: number
}

serveCalls({
  async run({ folder, settings }: ConnectorRun): Promise<RunFigures> {
    const connector: { readonly default: Connector } = await import(join(folder, 'src/connector.ts'))
    await using project = await createTestProject(folder, { settings })
    let startedAt = 0
    const onStart = () => {
      startedAt = performance.now()
    }
    const { records } = await project.run(connector.default, { observer: { onStart } })
    return { ms: performance.now() - startedAt, records }
  },
})
