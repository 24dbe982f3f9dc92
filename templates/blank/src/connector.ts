import { setTimeout } from 'node:timers/promises'
import { defineConnector, type Source, type Units } from '@headrace/sdk'
import { schema } from './generated/schema.ts'
import { openRatesApi } from './rates-api.ts'

/** The newest published day. */
type Position = { readonly day: string }

export default defineConnector({
  schema,
  async *read(source: Source<typeof schema, Position>): Units<typeof schema, Position> {
    const { config, history, signal } = source
    const api = openRatesApi(source)
    let last = history()[0]?.day ?? ''
    while (true) {
      const { base, rates } = await api.ratesFrom(last || config.start)
      for (const [day, values] of Object.entries(rates).sort()) {
        if (day <= last || day < config.start) continue
        // Messages and checkpoint are published together, so the next run continues after this day.
        yield { checkpoint: { day }, messages: { Rate: toRates(day, base, values) } }
        last = day
      }
      await setTimeout(config.poll * 1000, undefined, { signal })
    }
  },
})

function toRates(day: string, base: string, values: Record<string, number>) {
  const ts = { seconds: BigInt(Date.parse(`${day}T12:00:00Z`) / 1000), nanos: 0 }
  return Object.entries(values).map(([currency, value]) => ({ ts, base, currency, value }))
}
