import { HeadraceError } from '@headrace/queue'
import { createEmbeddedQueue } from '../../src/embedded/embedded-queue.ts'
import { openEngine } from '../../src/embedded/open-engine.ts'
import { compactionLagMs } from '../../src/embedded/storage/batch-table.ts'
import { diskUnit, readDiskQueue, record } from '../faults/embedded-disk-queue.ts'
import { readCheckpoint } from '../units.ts'

/**
 * Fills the disk of the queue in the folder given as first argument: repeats each operation that needs space until the
 * operation is refused. Writes a line of JSON for each, and one with what can be read afterwards.
 */
const directory = process.argv[2]!
const queue = await createEmbeddedQueue({ directory, create: false })
const writer = await queue.openWriter({ id: 'units', claim: `${process.pid}` })
let unit = await readCheckpoint(queue, 'units')
let appended = 0

await untilRefused('commit', async () => {
  await commit(diskUnit(unit + 1))
  unit++
})
for (const padding of [100_000, 0]) {
  await untilRefused('append', async () => {
    await queue.append([{ topic: 'appended', ...record(`${appended}`, padding) }])
    appended++
  })
}
await untilRefused('createTopics', (index) => queue.createTopics([{ name: `new-${index}`, partitions: 64 }]))
await untilRefused('openWriter', async (index) => void (await queue.openWriter({ id: `new-${index}`, claim: 'new' })))
await untilRefused('deleteBefore', (index) => queue.deleteBefore('old', 0, BigInt(index + 1)))
await compactUntilRefused()
await untilRefused('commit from a spool file', () => commit(spooled(2)))
await untilRefused('spool file', () => commit(spooled(200)))
print({ content: await readDiskQueue(queue), acknowledged: { unit, appended } })
if (process.argv[3] === 'close') await queue.close()
process.exit()

async function untilRefused(place: string, attempt: (index: number) => Promise<void>): Promise<void> {
  for (let index = 0; ; index++) {
    try {
      await attempt(index)
    } catch (error) {
      if (!(error instanceof HeadraceError)) throw error
      const { name, code, message, cause } = error
      print({ place, error: { name, code, message, cause: cause instanceof HeadraceError ? cause.code : undefined } })
      return
    }
  }
}

async function commit(records: Iterable<ReturnType<typeof diskUnit>[number]>): Promise<void> {
  const transaction = writer.begin()
  try {
    for (const record of records) transaction.send(record)
    await transaction.commit()
  } catch (error) {
    await transaction.abort()
    throw error
  }
}

/** Records that fill the 64 MiB held in memory, and a number of batches of 256 KiB more. */
function* spooled(batches: number) {
  for (let index = 0; index < 256 + batches; index++) yield { topic: 'appended', ...record('spooled', 262_144) }
}

/** Compacts in the background, as after a commit. */
async function compactUntilRefused(): Promise<void> {
  const refused = Promise.withResolvers<object>()
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, error: quiet, warn: (fields: object) => refused.resolve(fields) }
  const compaction = { startAfterMs: 0, sliceRows: 2, pauseMs: 1, now: () => Date.now() + compactionLagMs }
  const close = new AbortController()
  const engine = await openEngine({ directory, create: false, compaction, log }, close.signal)
  engine.notifyCommitted([engine.topics.partition('keys', 0)])
  // Timers of the compaction do not keep a process alive.
  const alive = setInterval(quiet, 1_000)
  const { code, reason } = (await refused.promise) as { code: string; reason: string }
  clearInterval(alive)
  print({ place: 'compaction', error: { name: 'QueueUnavailableError', code, message: reason } })
  close.abort()
  engine.storage.database.close()
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
