import { EventEmitter, once } from 'node:events'
import type { Connector } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'

/**
 * Delays each unit until earlier ones are committed, except replacements of reverted units, because they share a
 * transaction.
 */
export function paceByCommits(connector: Connector<Schema, unknown>): Connector<Schema, unknown> {
  return {
    schema: connector.schema,
    async *read(source) {
      const events = new EventEmitter()
      let yielded = 0
      let committed = 0
      let replacing = 0
      source.onCommit((units) => {
        committed = units
        events.emit('commit')
      })
      for await (const unit of connector.read(source)) {
        const held = (): boolean => committed < yielded && (unit.revertTo !== undefined || replacing <= committed)
        while (held()) await once(events, 'commit', { signal: source.signal })
        yielded++
        if (unit.revertTo !== undefined) replacing = yielded
        yield unit
      }
    },
  }
}
