import { type Queue, readTable } from '@headrace/queue'
import { decodeProcess, processesTopic, type SeenProcess } from './process-record.ts'

/** Those that have a record, by id. Without their topic, none. */
export async function readProcesses(queue: Queue): Promise<Map<string, SeenProcess>> {
  const processes = new Map<string, SeenProcess>()
  const [topic] = await queue.describe([processesTopic])
  if (!topic) return processes
  const start = { topic: processesTopic, partition: 0, offset: topic.partitions[0]!.earliest }
  await readTable(queue, start, ({ key, value, time }) => {
    const id = Buffer.from(key ?? []).toString()
    const process = value ? decodeProcess(value) : undefined
    if (process) processes.set(id, { process, seen: time })
    else processes.delete(id)
  })
  return processes
}

const keptMs = 24 * 3_600_000
/** Of one connector instance. */
const mostRuns = 20

/** What no one needs any more: not the newest run of a connector instance, but old ones, and those beyond a number. */
export function staleProcesses(processes: ReadonlyMap<string, SeenProcess>, now: number): string[] {
  const newestFirst = [...processes].sort(([, one], [, other]) => other.process.started - one.process.started)
  const runs = new Map<string, number>()
  return newestFirst.flatMap(([id, { process, seen }]) => {
    const isOld = seen < now - keptMs
    if (process.kind !== 'run') return isOld ? [id] : []
    const newer = runs.get(process.writer) ?? 0
    runs.set(process.writer, newer + 1)
    return newer > 0 && (isOld || newer >= mostRuns) ? [id] : []
  })
}
