import { setTimeout as pause } from 'node:timers/promises'
import { chainContent } from '../../packages/cli/test/whole-path/chain-content.ts'
import type { Chain } from '../../packages/testbed/chain/chain.ts'
import type { FakeNode } from '../../packages/testbed/chain/fake-node.ts'
import { call } from '../../packages/testbed/chain/json-rpc.ts'
import type { UserCommand } from '../../packages/testbed/registry/user-command.ts'
import { failure, type RunningGateway, runCommand, startCommand, startGateway } from './command.ts'
import { createFollower, type Follower } from './follower.ts'
import { checkHistory } from './history.ts'
import { checkKeys } from './keys.ts'
import { type ReadRecord, readPage, requireSameRecords } from './reading.ts'
import type { Version } from './version.ts'

export interface MatrixOptions {
  /** Both have the project of `project`. */
  readonly from: Version
  readonly to: Version
  readonly queue: string
  /** Of the topics: `me.demo.1_0_0.` */
  readonly topicPrefix: string
  /** In the topic names. */
  readonly chainName: string
  readonly chain: Chain
  /** In front of the chain. */
  readonly node: FakeNode
  /** Changes the schema of a topic in the newer version's project, which becomes a newer version of that connector. */
  changeSchema(): Promise<void>
  /** A folder for what the sink writes. */
  readonly sinkFolder: string
}

/** The folder of the connector in that of each version. */
export const projectFolder = 'project'

/** The steps on one queue, in order. Each needs those before it. */
export interface Matrix {
  readonly steps: Readonly<Record<string, () => Promise<void>>>
  /** The version that wrote last continues, and all that was published is there. */
  recover(): Promise<void>
  stop(): Promise<void>
}

interface Run {
  readonly version: Version
  readonly command: UserCommand
}

const patienceMs = 90_000

export function createMatrix({ from, to, queue, chain, node, ...options }: MatrixOptions): Matrix {
  const topics = ['Block', 'Transaction'].map((name) => `${options.topicPrefix}${options.chainName}_${name}`)
  const [blocks, transactions] = topics as [string, string]
  const settings = ['--queue', queue, '--set', `rpc=${node.rpc}`, '--set', `chain=${options.chainName}`]
  const runArguments = ['run', projectFolder, ...settings, '--set', 'start=0']
  const gateways: RunningGateway[] = []
  const keys: string[] = []
  const followers: Follower[] = []
  let run: Run | undefined
  let writer = from
  let turns = 0

  return {
    steps: {
      async 'the old version alone'() {
        await runCommand(from, ...runArguments, '--set', 'end=10')
        keys.push(await createKey(from))
        await serve(from)
        await write(from)
        await mineAndReorganise()
        await check([from])
      },
      async 'gateways of both'() {
        await serve(to)
        keys.push(await createKey(to))
        for (const key of keys) for (const _ of gateways) followers.push(createFollower(topics, key))
        await mineAndReorganise()
        await check([from, to])
      },
      async 'up, after a kill'() {
        await killWithin()
        await write(to)
        await mineAndReorganise()
        await check([from, to])
      },
      async 'down, while the new one runs'() {
        await write(from)
        await mineAndReorganise()
        await check([from, to])
      },
      async 'up, after a stop'() {
        await run!.command.interrupt()
        run = undefined
        await write(to)
        await mineAndReorganise()
        await check([from, to])
      },
      keys: () => checkKeys({ gateways, keys, topic: blocks, versions: [from, to], queue }),
      async 'a changed schema, and started again'() {
        await run!.command.interrupt()
        run = undefined
        await options.changeSchema()
        await write(to)
        await mineAndReorganise()
        for (const { command, version } of gateways.splice(0)) {
          await command.interrupt()
          await serve(version)
        }
        await untilServed()
        await check([to])
      },
    },
    async recover() {
      const left = gateways.findIndex(({ version }) => version === writer)
      for (const [index, gateway] of gateways.splice(0).entries())
        if (index === left) gateways.push(gateway)
        else gateway.command.kill()
      await stopRun()
      if (left < 0) await serve(writer)
      await write(writer)
      await check([writer])
    },
    async stop() {
      run?.command.kill()
      for (const { command } of gateways) command.kill()
      await Promise.all([run?.command.ended, ...gateways.map(({ command }) => command.ended)])
    },
  }

  async function createKey(version: Version): Promise<string> {
    const limits = ['--rate', '10000', '--burst', '10000']
    return (await runCommand(version, 'keys', 'create', '--name', 'reader', ...limits, '--queue', queue)).trim()
  }

  async function serve(version: Version): Promise<void> {
    gateways.push(await startGateway(version, queue))
  }

  /** Starts a run. One that is still there is replaced: it ends with 76 at its next commit. */
  async function write(version: Version): Promise<void> {
    const before = run
    run = { version, command: startCommand(version, runArguments) }
    await chain.mine(1)
    while (before && (await isRunning(before))) {
      await requireRunning(run)
      await chain.mine(1)
    }
    if (before) {
      const code = await before.command.ended
      if (code !== 76) throw failure(before.version, runArguments, code, before.command.output())
    }
    await untilServed()
    writer = version
  }

  async function stopRun(): Promise<void> {
    run?.command.kill()
    await run?.command.ended
    run = undefined
  }

  /** The reorganisation goes back to blocks that the version before has published. */
  async function mineAndReorganise(): Promise<void> {
    await chain.mine(6, { transactions: 2 })
    await untilServed()
    await chain.reorganise(9, { transactions: 1 })
    await chain.mine(2, { transactions: 2 })
    await untilServed()
  }

  /** Kills the run while it has blocks to publish. */
  async function killWithin(): Promise<void> {
    const head = await headOf(chain)
    node.fault = ({ method, params }) =>
      method === 'eth_getBlockByNumber' && Number(params[0]) > head.number + 6
        ? { result: () => new Promise(() => {}) }
        : undefined
    await chain.mine(12, { transactions: 2 })
    await untilServed(head.number + 3)
    await stopRun()
    node.fault = () => undefined
  }

  /** Waits until all gateways serve a block, by default the head of the chain. */
  async function untilServed(number?: number): Promise<void> {
    const deadline = performance.now() + patienceMs
    for (const gateway of gateways)
      for (; !(await isServed(gateway, number)); await pause(50)) {
        if (run) await requireRunning(run)
        if (performance.now() > deadline) throw new Error(lateMessage(gateway))
      }
  }

  async function isServed(gateway: RunningGateway, number: number | undefined): Promise<boolean> {
    const { data } = await readPage(gateway, keys[0]!, blocks, { limit: '1' })
    const [newest] = data as (ReadRecord & { value: { Number: string } })[]
    if (number !== undefined) return Number(newest?.value.Number) >= number
    return newest?.key === (await headOf(chain)).hash
  }

  function lateMessage({ version, command }: RunningGateway): string {
    const printed = `The run has printed:\n${run?.command.output()}\nThe gateway has printed:\n${command.output()}`
    return `The gateway of ${version.name} does not serve the newest block. ${printed}`
  }

  /** Nothing may be lost, repeated or in another order, for any reader and both commands. */
  async function check(verifiers: readonly Version[]): Promise<void> {
    for (const version of verifiers) await runCommand(version, 'verify', projectFolder, ...settings, '--full')
    const content = await chainContent(chain.rpc, 0, (await headOf(chain)).number)
    await checkHistory({ gateways, apiKey: keys[0]!, topic: blocks }, content.blocks)
    await checkHistory({ gateways, apiKey: keys[0]!, topic: transactions }, content.transactions)
    await checkStreams()
    if (await haveSinks([from, to])) await checkSink(verifiers)
  }

  /** Each reader continues with another client at another gateway. */
  async function checkStreams(): Promise<void> {
    turns++
    const newest = new Map<string, number>()
    for (const topic of topics) {
      const { data } = await readPage(gateways[0]!, keys[0]!, topic, { limit: '1', view: 'log' })
      newest.set(topic, Number(data[0]!.seq))
    }
    await Promise.all(
      followers.map((follower, index) => {
        const client = (index >> 1) % 2 === turns % 2 ? from : to
        return follower.readUntil(client, gateways[(index + turns) % gateways.length]!, newest)
      }),
    )
    const [first, ...others] = followers
    for (const other of others)
      for (const topic of topics)
        requireSameRecords(`Readers of ${topic}`, first!.records.get(topic)!, other.records.get(topic)!)
  }

  /** The version that writes continues the sink of the other one. */
  async function checkSink(verifiers: readonly Version[]): Promise<void> {
    const sink = [`parquet:${options.sinkFolder}`, '--topic', blocks, '--queue', queue]
    await runCommand(writer, 'sink', ...sink, '--once')
    for (const version of verifiers) await runCommand(version, 'verify', projectFolder, '--sink', ...sink)
  }
}

async function headOf({ rpc }: Chain): Promise<{ number: number; hash: string }> {
  const head = await call<{ number: string; hash: string }>(rpc, 'eth_getBlockByNumber', ['latest', false])
  return { number: Number(head.number), hash: head.hash }
}

async function isRunning({ command }: Run): Promise<boolean> {
  return (await Promise.race([command.ended, pause(500, 'running' as const)])) === 'running'
}

/** @throws {RefusalError} */
async function requireRunning({ version, command }: Run): Promise<void> {
  const code = await Promise.race([command.ended, pause(0, 'running' as const)])
  if (code !== 'running') throw failure(version, ['run'], code, command.output())
}

async function haveSinks(versions: readonly Version[]): Promise<boolean> {
  const helps = await Promise.all(versions.map((version) => runCommand(version, '--help')))
  return helps.every((help) => /^ {2}sink /m.test(help))
}
