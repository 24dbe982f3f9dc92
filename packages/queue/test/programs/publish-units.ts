import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openQueue } from '@headrace/queue'
import { checkpointOf, createUnitTopics, type PublishStep, readCheckpoint, unitRecords } from '../units.ts'

/**
 * Publishes units with their checkpoints, from the stored checkpoint on, until it is killed. Writes each step to stdout:
 * `ready 7`, then `begun 7`, `sent 7`, `committing 7`, `committed 7`, `begun 8` and so on. With `--hold-at STEP` it stops
 * at that step of the unit that is `--hold-after` later than its first.
 */
const { values, positionals } = parseArgs({
  options: { 'hold-at': { type: 'string' }, 'hold-after': { type: 'string', default: '0' } },
  allowPositionals: true,
})
const [url, series] = positionals as [string, string]
const queue = await openQueue(url)
await createUnitTopics(queue, series)
const writer = await queue.openWriter({ id: series, claim: `${process.pid}` })
const first = (await readCheckpoint(queue, series)) + 1
await step('ready', first)
for (let unit = first; ; unit++) {
  const transaction = writer.begin()
  await step('begun', unit)
  for (const record of unitRecords(series, unit)) {
    transaction.send(record)
    await delay(1)
  }
  transaction.send(checkpointOf(series, unit))
  await step('sent', unit)
  await step('committing', unit)
  await transaction.commit()
  await step('committed', unit)
}

async function step(name: PublishStep, unit: number): Promise<void> {
  process.stdout.write(`${name} ${unit}\n`)
  const held = name === values['hold-at'] && unit === first + Number(values['hold-after'])
  await delay(held ? 2 ** 31 - 1 : 1)
}
