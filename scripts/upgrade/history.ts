import type { RunningGateway } from './command.ts'
import { type ReadRecord, readPages, requireSameRecords } from './reading.ts'

export interface HistoryOptions {
  readonly gateways: readonly RunningGateway[]
  readonly apiKey: string
  readonly topic: string
}

/**
 * The pages of all gateways must be equal, also if each page is read from another gateway than the one before.
 *
 * @param expected - The keys of the canonical records, oldest first.
 */
export async function checkHistory(options: HistoryOptions, expected: readonly string[]): Promise<void> {
  const { gateways, apiKey, topic } = options
  for (const view of ['canonical', 'log'])
    for (const order of ['asc', 'desc']) {
      const sources = [...gateways.map((one) => [one]), gateways]
      const read = await Promise.all(sources.map((some) => readPages(some, apiKey, topic, { view, order })))
      const [first, ...others] = read
      const what = `The history of ${topic} (${view}, ${order}) from the gateways`
      for (const other of others) requireSameRecords(what, first!, other)
      if (view === 'canonical' && order === 'asc') requireKeys(topic, first!, expected)
    }
}

function requireKeys(topic: string, records: readonly ReadRecord[], expected: readonly string[]): void {
  if (records.length !== expected.length)
    throw new Error(`${topic} has ${records.length} canonical records, and the chain ${expected.length}.`)
  const wrong = expected.findIndex((key, index) => records[index]!.key !== key)
  if (wrong >= 0)
    throw new Error(`Record ${wrong} of ${topic} is ${records[wrong]!.key}, and in the chain ${expected[wrong]}.`)
}
