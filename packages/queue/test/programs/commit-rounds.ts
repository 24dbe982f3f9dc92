import { openQueue } from '@headrace/queue'

/**
 * Commits rounds to the queue in its first argument until it is killed: some records to `data`, and the number of the
 * round to `rounds`. Writes the number to stdout after the commit.
 */
const queue = await openQueue(process.argv[2])
await queue.createTopics([{ name: 'data' }, { name: 'rounds', cleanup: 'compact' }])
const writer = await queue.openWriter({ id: 'rounds', claim: `${process.pid}` })
const key = Buffer.from('round')
const last = await queue.latest('rounds', 0, key)
for (let round = last ? Number(Buffer.from(last.value!)) + 1 : 0; ; round++) {
  const transaction = writer.begin()
  for (let index = 0; index < round % 100; index++) {
    transaction.send({
      topic: 'data',
      key: null,
      value: Buffer.from(`${round}/${index} ${'x'.repeat(500)}`),
      time: round,
    })
  }
  transaction.send({ topic: 'rounds', key, value: Buffer.from(`${round}`), time: round })
  await transaction.commit()
  process.stdout.write(`${round}\n`)
}
