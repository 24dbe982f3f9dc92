import type { Queue } from '@headrace/queue'
import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'
import type { TestProject } from './test-project.ts'

/** A connector, and how to know that all its source has is published. */
export interface RunToEnd {
  readonly project: TestProject
  readonly connector: Connector<Schema, unknown>
  /** Whether this checkpoint is the last one. Left out: the source ends. */
  readonly until: ((checkpoint: unknown) => boolean) | undefined
}

/** Publishes all that the source has, one unit in each transaction. Throws what the run throws. */
export async function runToEnd({ project, connector, until }: RunToEnd, queue: Queue): Promise<void> {
  const stop = new AbortController()
  const stored = await project.storedCheckpoint()
  if (stored && until?.(stored.position)) return
  await project.run(connector, {
    queue,
    oneByOne: true,
    signal: stop.signal,
    retry: { firstMs: 1, maxMs: 10, budgetMs: 10_000 },
    observer: {
      onCommit({ checkpoint }) {
        if (until?.(checkpoint)) stop.abort()
      },
    },
  })
}
