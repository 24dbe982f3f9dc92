import { setTimeout as delay } from 'node:timers/promises'
import { openQueue } from '@headrace/queue'
import { expect, inject } from 'vitest'
import { createServedBlocks, type ServedBlock } from '../../../testbed/chain/served-blocks.ts'
import { type ConnectorProcess, connector as runToEnd, startConnector } from '../whole-path/connector-process.ts'
import type { Engine } from '../whole-path/engines.ts'
import { publishAltered } from './altered-record.ts'
import { readWithKafkajs } from './kafkajs-reader.ts'
import { readTopic, replayChain } from './replayed-chain.ts'

/** A chain that changes, and a connector that publishes it into a queue of its own. */
export interface PublishedChain extends AsyncDisposable {
  /** Stores the chain that the node serves. Call it after each change of the chain. */
  changed(): Promise<void>
  /** Kills the connector, calls `happens`, and starts the connector again. */
  whileDown(happens: () => Promise<void>): Promise<void>
  untilSomeIsPublished(): Promise<void>
  newest(): Promise<number>
  untilHeadIsPublished(): Promise<void>
  /**
   * Expects that at every commit the published chain was one that the node has served, and now is the current one, on
   * Kafka also as kafkajs reads it. Resolves to the number of reverted blocks.
   */
  expectWhole(): Promise<number>
  /** Ends the connector, and expects that `connector verify --full` finds nothing. */
  expectVerified(): Promise<void>
  /**
   * Expects that `connector verify --full` finds one altered transaction in the last block but one, which must have
   * two, and nothing else. Call it after `expectVerified`.
   */
  expectAlterationFound(): Promise<void>
}

/** `rpc` is the URL that the connector gets. Default: the URL of the node. */
export async function publishChain(engine: Engine, node: string, rpc: string = node): Promise<PublishedChain> {
  const resources = new AsyncDisposableStack()
  const { url, chain, remove } = await engine.open()
  resources.defer(remove)
  const queue = await openQueue(url)
  resources.defer(() => queue.close())
  const topics = { blocks: topicOf(chain, 'Block'), transactions: topicOf(chain, 'Transaction') }
  const blocks = readTopic(queue, topics.blocks)
  const transactions = readTopic(queue, topics.transactions)
  const served = createServedBlocks(node)
  let head: ServedBlock = await served.note()
  let connector = run(url, { rpc, chain })
  resources.defer(() => kill(connector))

  async function until(isDone: () => boolean, what: string): Promise<void> {
    for (const deadline = Date.now() + deadlineMs; !isDone(); await delay(20)) {
      expect(Date.now(), `${what} is not published`).toBeLessThan(deadline)
      expect(connector.child.exitCode, 'the connector is running').toBeNull()
      await blocks.readOn()
    }
  }

  const untilHeadIsPublished = () => until(() => blocks.records.at(-1)?.key === head.hash, `block ${head.number}`)

  return {
    async changed() {
      head = await served.note()
    },
    async whileDown(happens) {
      await kill(connector)
      await happens()
      connector = run(url, { rpc, chain })
    },
    untilSomeIsPublished: () => until(() => blocks.records.length > 0, 'any block'),
    async newest() {
      await blocks.readOn()
      return served.get(blocks.records.at(-1)!.key)!.number
    },
    untilHeadIsPublished,
    async expectWhole() {
      await untilHeadIsPublished()
      await transactions.readOn()
      const seen = { blocks: blocks.records, transactions: transactions.records }
      const { canonical, revertedBlocks } = replayChain(seen, served)
      expect(canonical.map(({ hash }) => hash)).toEqual(served.chainOf(head))
      if (engine.name === 'Kafka') {
        const elsewhere = {
          blocks: await readWithKafkajs(inject('kafka')!, topics.blocks),
          transactions: await readWithKafkajs(inject('kafka')!, topics.transactions),
        }
        expect(replayChain(elsewhere, served).canonical).toEqual(canonical)
      }
      return revertedBlocks
    },
    async expectVerified() {
      connector.child.kill('SIGTERM')
      expect(await connector.ended).toMatchObject({ code: 0 })
      const verified = await verify(url, { rpc, chain })
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No problems: /) })
    },
    async expectAlterationFound() {
      const other = `${chain}-altered`
      const { seq, unit } = await publishAltered(queue, { rpc, chain }, other)
      const { code, stdout } = await verify(url, { rpc, chain: other }, '--json')
      const place = { topic: topicOf(other, 'Transaction'), seq: `${seq}`, unit: `${unit}` }
      const finding = { code: 'message_differs', ...place }
      const lines = stdout.trimEnd().split('\n')
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([finding, { summary: { findings: 1 } }])
      expect(code).toBe(1)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const deadlineMs = 60_000

function topicOf(chain: string, message: string): string {
  return `headrace.evm.1_0_0.${chain}_${message}`
}

interface ChainSettings {
  readonly rpc: string
  readonly chain: string
}

function verify(queue: string, settings: ChainSettings, ...options: string[]): ReturnType<typeof runToEnd> {
  return runToEnd('verify', 'examples/evm', '--queue', queue, '--full', ...options, ...settingsOf(settings))
}

function run(queue: string, settings: ChainSettings): ConnectorProcess {
  const all = { ...settings, start: 0, poll: 0.1, verify: 'roots' }
  return startConnector(['run', 'examples/evm', '--queue', queue, ...settingsOf(all)])
}

function settingsOf(settings: object): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`])
}

async function kill({ child, ended }: ConnectorProcess): Promise<void> {
  child.kill('SIGKILL')
  await ended
}
