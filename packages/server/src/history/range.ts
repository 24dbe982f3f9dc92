import type { Place, ServedTopic } from '../topics/served-topic.ts'
import type { History } from './history.ts'
import type { Run } from './run.ts'

/** Reads a whole range run by run, each when it is asked for. `desc`: the last run first; records in a run ascend. */
export async function* readRange(
  history: History,
  { topic, from, to, order }: { topic: ServedTopic; from: Place; to: Place; order: 'asc' | 'desc' },
): AsyncGenerator<Run, void, undefined> {
  let low = from.offset
  let high = to.offset
  while (low < high) {
    const range = { from: low, to: high }
    const run = order === 'asc' ? await history.after(topic, range) : await history.before(topic, range)
    if (order === 'asc') low = run.to
    else high = run.from
    yield run
  }
}
