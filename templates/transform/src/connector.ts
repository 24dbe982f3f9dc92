import { defineConnector, type QueueCheckpoint, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'
import { openInput } from './input.ts'
import type { Rate } from './rate.ts'

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, QueueCheckpoint>): Units<typeof schema, QueueCheckpoint> {
    // Each input unit, here a day, becomes one unit. `place` has its checkpoint, and the position to revert to, if any.
    for await (const { place, messages } of openInput(source))
      yield { ...place, messages: { CrossRate: toCrossRates(messages.Rate, source.config.base) } }
  },
})

/** Converts the rates of a day to another base; none if the base has no rate. */
function toCrossRates(rates: readonly Rate[], base: string) {
  const worth = rates.find(({ currency }) => currency === base)
  if (!worth) return []
  const inverse = { ...worth, currency: worth.base, value: 1 }
  return [inverse, ...rates.filter((rate) => rate !== worth)].map(({ ts, currency, value }) => ({
    ts: { seconds: BigInt(Date.parse(ts) / 1000), nanos: 0 },
    base,
    currency,
    value: value / worth.value,
  }))
}
