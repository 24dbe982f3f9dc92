/** Each stage of publishing a block by itself, in ms of CPU per block: `node stages-program.ts RPC BLOCKS`. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openQueue } from '@headrace/queue'
import { Pool } from 'undici'
import { Block as BlockCodec, Transaction as TransactionCodec } from '../../../examples/evm/src/generated/evm.ts'
import { checkBlock } from '../../../packages/evm/src/block/check-block.ts'
import { type Block, type RpcBlock, type Transaction, toBlock, toTransaction } from '../../../packages/evm/src/index.ts'
import { MessageWriter } from '../../../packages/sdk/src/wire/message-writer.ts'
import { serveCalls } from '../program.ts'
import { askNode, connections } from './ask-node.ts'

interface Mapped {
  readonly block: Block
  readonly transactions: readonly Transaction[]
}

/** Blocks of a transaction, about as many as the runtime puts into one. */
const group = 12
const [rpc, blocks] = [process.argv[2]!, Number(process.argv[3])]
const pool = new Pool(rpc, { connections })
const writer = new MessageWriter()
const texts = await fetchAll()
const mapped = texts.map((text, number) => map(parse(text), number))
const records = mapped.map(encode).map((values) => values.map((value) => Buffer.from(value)))
writer.reset()

serveCalls({
  fetch: () => cost(fetchAll),
  parse: () => cost(() => texts.forEach(parse)),
  map: async () => {
    const answers = texts.map(parse)
    return cost(() => answers.forEach(map))
  },
  encode: () =>
    cost(() => {
      for (const [number, block] of mapped.entries()) {
        if (number % group === 0) writer.reset()
        encode(block)
      }
    }),
  commit,
})

function fetchAll(): Promise<string[]> {
  return Promise.all(Array.from({ length: blocks }, (_, number) => fetchText(number)))
}

async function fetchText(number: number): Promise<string> {
  return (await askNode(pool, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true])).text()
}

function parse(text: string): RpcBlock {
  return JSON.parse(text).result
}

function map(answer: RpcBlock, number: number): Mapped {
  const { transactions } = checkBlock(answer, number)
  const block = toBlock(answer)
  return { block, transactions: transactions.map((transaction) => toTransaction(transaction, block)) }
}

function encode({ block, transactions }: Mapped): Uint8Array[] {
  BlockCodec.encode(block as never, writer.codecWriter)
  const encodedBlock = writer.take()
  return [
    encodedBlock,
    ...transactions.map((transaction) => {
      TransactionCodec.encode(transaction as never, writer.codecWriter)
      return writer.take()
    }),
  ]
}

async function commit(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const queue = await openQueue(`embedded:${directory}`)
  const topics = ['block', 'transaction']
  await queue.createTopics(topics.map((name) => ({ name })))
  const writer = await queue.openWriter({ id: 'bench', claim: 'bench' })
  const key = Buffer.alloc(66, 'k')
  const used = await cost(async () => {
    for (let from = 0; from < records.length; from += group) {
      const transaction = writer.begin()
      for (const values of records.slice(from, from + group))
        for (const [index, value] of values.entries())
          transaction.send({ topic: topics[Math.min(index, 1)]!, key, value, time: Date.now() })
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
