import { brokerErrorCodes } from '../../../queue/src/kafka/connection/broker-error.ts'

/** A request in a trace. */
export function describeRequest(name: string, args: unknown[]): string {
  if (name === 'EndTxn') {
    const { epoch, committed } = args[0] as { epoch: number; committed: boolean }
    return `EndTxn ${committed ? 'commit' : 'abort'} epoch ${epoch}`
  }
  if (name === 'Produce') {
    const { batches } = args[0] as { batches: { topic: string; partition: number }[] }
    return `Produce ${batches.map(({ topic, partition }) => `${topic}/${partition}`).join(' ')}`
  }
  if (name === 'Fetch') {
    const { partitions } = args[0] as { partitions: { partition: number; offset: bigint }[] }
    return `Fetch ${partitions.map(({ partition, offset }) => `${partition} from ${offset}`).join(', ')}`
  }
  return name
}

/** An answer in a trace: its errors, and the size of its records. */
export function describeAnswer(name: string, answer: unknown): string {
  const codes = new Set<number>()
  JSON.stringify(answer, (key, value) => {
    if (/errorCode$/i.test(key) && value !== 0) codes.add(value as number)
    return typeof value === 'bigint' || value instanceof Uint8Array ? undefined : value
  })
  if (codes.size > 0) return [...codes].map((code) => names.get(code) ?? `error ${code}`).join(', ')
  if (name !== 'Fetch') return 'OK'
  const { partitions } = answer as { partitions: { bytes: Uint8Array; highWatermark: bigint }[] }
  return partitions.map(({ bytes, highWatermark }) => `${bytes.length} B, high watermark ${highWatermark}`).join('; ')
}

const names = new Map(Object.entries(brokerErrorCodes).map(([name, code]) => [code as number, name]))
