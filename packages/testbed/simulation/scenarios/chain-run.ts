import type { Logger } from 'pino'
import { type EvmCheckpoint, type EvmSettings, readBlocks } from '../../../evm/src/index.ts'
import type { ConnectHttp } from '../../../evm/src/rpc/http-connection.ts'
import { type Queue, RetryableError } from '../../../queue/src/index.ts'
import type { Connector, Schema, Source } from '../../../sdk/src/index.ts'
import { createRunState, type RunState } from '../../../sdk/src/runtime/checkpoint/run-state.ts'
import { createPublisher } from '../../../sdk/src/runtime/grouping/publisher.ts'
import { RunMeter } from '../../../sdk/src/runtime/metrics/run-meter.ts'
import { publishSource, type SourceSession } from '../../../sdk/src/runtime/reading/publish-source.ts'
import { createRetry } from '../../../sdk/src/runtime/retry.ts'
import { planRevert } from '../../../sdk/src/runtime/revert/revert.ts'
import type { BlockUnit, PublishedChain } from '../chain/published-chain.ts'
import type { Program } from '../time/program.ts'
import type { World } from '../world/world.ts'

export interface ChainRun {
  readonly world: World
  readonly program: Program
  readonly settings: EvmSettings
  readonly connect: ConnectHttp
  readonly published: PublishedChain
  readonly signal: AbortSignal
}

/** Runs the block source in the cycle of the SDK, with a log in memory instead of a queue. */
export async function runChain({ world, program, settings, connect, published, signal }: ChainRun) {
  const claimed = published.claim()
  const state = createRunState(claimed.state, [])
  const log = createLog(world, program)
  const meter = new RunMeter()
  using retry = createRetry({}, signal)
  let session: SourceSession | undefined
  const publisher = createPublisher({
    group: 'auto',
    // Without topics the queue is never read.
    planRevert: (revertTo) => planRevert(undefined as unknown as Queue, state, revertTo),
    encode: (unit, _, { revert }) => encode(state, unit as unknown as BlockUnit['step'], revert),
    async commit(units) {
      await world.wait(world.random.integer(world.random.pick([5, 200])))
      claimed.append(units as readonly BlockUnit[])
      await world.wait(world.random.integer(20), program)
    },
    onCommit(units) {
      retry.reset()
      session?.committed(units.length)
    },
    onFailure: () => session?.interrupt(),
  })
  const connector: Connector<Schema, unknown> = {
    schema: { messages: {}, config: {} },
    // The step is in place of messages.
    read: (source) => readBlocks(settings, source as Source<Schema, EvmCheckpoint>, connect),
  }
  return publishSource({
    ...{ connector, publisher, meter, retry, signal },
    source: { config: {}, history: () => state.history.positions(), signal, log, progress: () => {} },
    graceMs: 10_000,
    onSession(opened) {
      session = opened
    },
  })
}

function encode(state: RunState, step: BlockUnit['step'], revert: BlockUnit['revert']): BlockUnit {
  const committed = state.endUnit(step)
  return {
    ...{ step, committed, revert, unit: committed.unit, position: committed.position, revertible: state.revertible },
    ...{ records: [], deadLetters: [], checkpoint: new Uint8Array(), bytes: 1 },
  }
}

/** Maximum back-off of failed nodes: later calls succeed. */
const longestRestMs = 60_000

/** Adds log lines to the trace. An error that no source may have is a failure. */
function createLog(world: World, program: Program): Logger {
  const write = (fields: { readonly err?: unknown }, message: string) => {
    world.note(program.name, () => `${message} ${JSON.stringify(fields, errorAsText)}`)
    if (message !== 'read failed') return
    const text = fields.err instanceof Error ? fields.err.stack : fields.err
    if (!(fields.err instanceof RetryableError)) world.fail(`reading failed with ${text}`)
    if (world.calmMs > longestRestMs) world.fail(`reading failed although no node fails any more: ${text}`)
  }
  const none = () => {}
  return { trace: none, debug: none, info: write, warn: write, error: write } as unknown as Logger
}

function errorAsText(_: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value
}
