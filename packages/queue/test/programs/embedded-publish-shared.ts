import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createEmbeddedQueue } from '../../src/embedded/embedded-queue.ts'
import { compactionLagMs } from '../../src/embedded/storage/batch-table.ts'
import { parseQueueUrl } from '../../src/queue-url.ts'
import { createSharedTopics, lastUnit, sharedUnit } from '../faults/embedded-shared-units.ts'
import type { PublishStep } from '../units.ts'

/**
 * Publishes units to the shared topics of an embedded queue as the writer in its second argument, and compacts the
 * checkpoint topic continuously, in small slices. Takes the options and writes the steps of `publish-units.ts`, and
 * `compacting` when a compaction begins.
 */
const { values, positionals } = parseArgs({
  options: { 'hold-at': { type: 'string' }, 'hold-after': { type: 'string', default: '0' } },
  allowPositionals: true,
})
const [url, id] = positionals as [string, string]
const address = parseQueueUrl(url)
if (address.engine !== 'embedded') throw new Error(`${url} is not an embedded queue.`)
let unit = -1
const quiet = () => {}
const queue = await createEmbeddedQueue({
  directory: address.directory,
  create: true,
  // A failed compaction has found damage, so end immediately.
  log: { debug: quiet, info: quiet, error: quiet, warn: fail },
  compaction: {
    startAfterMs: 10,
    intervalMs: 10,
    sliceRows: 8,
    now() {
      print('compacting')
      return Date.now() + compactionLagMs
    },
  },
})
await createSharedTopics(queue)
const writer = await queue.openWriter({ id, claim: `${process.pid}` })
const first = (await lastUnit(queue, id)) + 1
unit = first
await step('ready')
for (; ; unit++) {
  const transaction = writer.begin()
  await step('begun')
  for (const record of sharedUnit(id, unit)) transaction.send(record)
  await step('sent')
  await step('committing')
  await transaction.commit()
  await step('committed')
}

async function step(name: PublishStep): Promise<void> {
  print(name)
  const held = name === values['hold-at'] && unit === first + Number(values['hold-after'])
  await delay(held ? 2 ** 31 - 1 : 1)
}

function fail(fields: object, message: string): void {
  process.stderr.write(`${message}: ${JSON.stringify(fields)}\n`)
  process.exit(1)
}

function print(name: PublishStep): void {
  process.stdout.write(`${name} ${unit}\n`)
}
