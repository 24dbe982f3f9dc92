/** Each stage of publishing a block by itself, in ms of CPU per block: `node stages-program.ts RPC BLOCKS`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { createRpcEndpoint } from '../../../packages/evm/src/rpc/endpoint.ts'
import { createBlockEncoder } from '../../../packages/evm/src/transcoding/block-encoder.ts'
import { declareBlockMessages } from '../../../packages/evm/src/transcoding/block-messages.ts'
import { bindMessages } from '../../../packages/evm/src/transcoding/bound-table.ts'
import { createReceiptEncoder } from '../../../packages/evm/src/transcoding/receipt-encoder.ts'
import { serveCalls } from '../program.ts'

/** Blocks of a transaction, about as many as the runtime puts into one. */
const group = 12
const [rpc, blocks] = [process.argv[2]!, Number(process.argv[3])]
const numbers = Array.from({ length: blocks }, (_, number) => number)
const endpoint = createRpcEndpoint(rpc, { place: 0, timeoutMs: 30_000 })
const messages = bindMessages(declareBlockMessages(undefined, { receipts: true, logs: true }))
const [encodeBlock, encodeReceipts] = [createBlockEncoder(messages), createReceiptEncoder(messages)]
const answers = await fetchAll('eth_getBlockByNumber')
const receipts = await fetchAll('eth_getBlockReceipts')
const encoded = answers.map(encodeBlock)

serveCalls({
  fetch: () => cost(() => fetchAll('eth_getBlockByNumber')),
  encode: () => cost(() => answers.map(encodeBlock)),
  'fetch receipts': () => cost(() => fetchAll('eth_getBlockReceipts')),
  'encode receipts': () => cost(() => receipts.map((answer, index) => encodeReceipts(answer, encoded[index]!))),
  commit,
})

function fetchAll(method: string): Promise<Buffer[]> {
  return Promise.all(
    numbers.map((number) => endpoint.sendForJson({ method, params: [`0x${number.toString(16)}`, true] })),
  )
}

async function commit(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const queue = await openQueue(`embedded:${directory}`)
  const topics = ['Block', 'Transaction'] as const
  await queue.createTopics(topics.map((name) => ({ name })))
  const writer = await queue.openWriter({ id: 'bench', claim: 'bench' })
  const key = Buffer.alloc(66, 'k')
  const used = await cost(async () => {
    for (let from = 0; from < blocks; from += group) {
      const transaction = writer.begin()
      for (const { messages } of encoded.slice(from, from + group))
        for (const topic of topics)
          for (const value of messages[topic]!) transaction.send({ topic, key, value, time: Date.now() })
      await transaction.commit()
    }
  })
  await queue.close()
  await rm(directory, { recursive: true })
  return used
}

/** CPU time of all threads per block, in ms. */
async function cost(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / blocks
}
