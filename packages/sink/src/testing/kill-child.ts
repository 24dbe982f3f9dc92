import { applyDurably } from '../destination/apply-durably.ts'
import type { SinkBatch, SinkDefinition } from '../destination/destination.ts'
import { createKillPlan } from './kill-plan.ts'
import { batchesAfter } from './topic-log.ts'

const [module, place] = process.argv.slice(2) as [string, string]
const { default: sink } = (await import(module)) as { default: (place: string) => SinkDefinition }
const definition = sink(place)
const { topics, batches } = createKillPlan(definition.records !== 'final')
const log = { debug() {}, info() {}, warn() {}, error() {} }

report('open')
const { signal } = new AbortController()
const destination = await definition.open({ name: 'conformance', readOnly: false, topics, log, signal })
report('prepare')
await destination.prepare()
report('cursor')
const waiting: SinkBatch[][] = []
for (const [index, { topic }] of topics.entries())
  waiting.push(batchesAfter(batches[index]!, await destination.readCursor(topic)))
// The topics take turns.
while (waiting.some(({ length }) => length > 0))
  for (const of of waiting) {
    const batch = of.shift()
    if (!batch) continue
    report('apply')
    await applyDurably(destination, batch)
  }
await destination.close()
report('end')

/** The parent kills this process after one of these lines. */
function report(step: string): void {
  process.stdout.write(`${step}\n`)
}
