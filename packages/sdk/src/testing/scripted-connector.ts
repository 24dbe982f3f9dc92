import type { Connector, Source, Unit } from '../connector/connector.ts'
import type { Schema } from '../connector/schema.ts'

export interface ScriptedConnectorOptions<S extends Schema, C> {
  readonly schema: S
  /** All have different checkpoints. */
  readonly units: readonly Unit<S, C>[]
  /** Called before each unit. It may delay the unit, or throw. */
  beforeEach?(unit: Unit<S, C>, source: Source<S, C>): unknown
}

/**
 * Makes a connector that yields the given units, from the one after `history()[0]` on, and ends.
 *
 * @example
 * ```ts
 * const units = [
 *   { checkpoint: 1, messages: { Block: [block(1)] } },
 *   { checkpoint: 2, messages: { Block: [block(2)] } },
 *   { checkpoint: 3, messages: { Block: [other(2)] }, revertTo: 1 },
 * ]
 * await project.run(createScriptedConnector({ schema, units }))
 * ```
 */
export function createScriptedConnector<S extends Schema, C>(options: ScriptedConnectorOptions<S, C>): Connector<S, C> {
  const { schema, units, beforeEach } = options
  return {
    schema,
    async *read(source) {
      const newest = JSON.stringify(source.history()[0])
      const done = units.findIndex(({ checkpoint }) => JSON.stringify(checkpoint) === newest)
      for (const unit of units.slice(done + 1)) {
        await beforeEach?.(unit, source)
        yield unit
      }
    },
  }
}
