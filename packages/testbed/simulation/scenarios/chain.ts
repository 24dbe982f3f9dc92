import type { EvmSettings } from '../../../evm/src/index.ts'
import { FencedError, RetryableError, UserError } from '../../../queue/src/index.ts'
import { ancestorAt, isOnBranchOf, type SimulatedBlock } from '../chain/block-tree.ts'
import { createPublishedChain } from '../chain/published-chain.ts'
import { createSimulatedChain } from '../chain/simulated-chain.ts'
import { createSimulatedNodes } from '../chain/simulated-nodes.ts'
import { createBlocksOracle } from '../oracle/blocks-oracle.ts'
import type { Scenario } from '../scenario.ts'
import { currentProgram, type Program } from '../time/program.ts'
import { disturb } from '../world/disturbances.ts'
import type { FaultKind } from '../world/fault-kinds.ts'
import { createProcesses, type Process } from '../world/processes.ts'
import type { World } from '../world/world.ts'
import { runChain } from './chain-run.ts'

/** The faults of a chain and its nodes. */
export const chainFaults: readonly FaultKind[] = [
  'chain reorganised',
  'node lags',
  'node forks',
  'node away',
  'node omits',
  'node answers late',
  'node refuses',
  'node answers garbage',
]

/** The source of EVM blocks reads a chain with forks from failing nodes, and its runs are killed and replaced. */
export const chain: Scenario = {
  name: 'chain',
  faults: [...chainFaults, 'program killed', 'program paused', 'second run', 'run stopped', 'checkpoint reset'],
  async run(world) {
    const { random } = world
    const blockMs = Math.max(300, world.faultsEnd / 27)
    const simulated = createSimulatedChain(world, {
      blockMs,
      head: random.integer(15),
      finalDepth: random.pick([3, 8, 12]),
      last: 30,
    })
    simulated.outgrow(latestStart)
    const { verify, receipts, logs, ...others } = drawSettings(world, blockMs / 1000)
    const nodes = createSimulatedNodes(world, {
      ...{ chain: simulated, blockMs },
      endpoints: 1 + random.integer(4),
      seesAll: verify === 'roots' || receipts || logs,
    })
    const settings: EvmSettings = { ...others, verify, receipts, logs, rpc: nodes.urls }
    const oracle = createBlocksOracle(world, { chain: simulated, nodes, settings })
    const published = createPublishedChain(oracle, () => {
      publisher = currentProgram()
      check()
    })
    const processes = createProcesses(world, { longestPauseMs: 500_000 })
    const isOver = Promise.withResolvers<void>()
    let secondRun = Promise.withResolvers<void>()
    const alive = new Map<Process, AbortController>()
    /** The last run that has published. */
    let publisher: Program | undefined
    let runs = 0
    let resets = 0

    /** The last block to publish. */
    function lastBlock(): SimulatedBlock | undefined {
      const { end = Number.POSITIVE_INFINITY, confirmations } = settings
      return ancestorAt(simulated.head, Math.min(end, simulated.head.number - confirmations))
    }

    function check(): void {
      const isPublished = simulated.isComplete && oracle.branch.at(-1) === lastBlock()
      if (isPublished && world.calmMs > 0) isOver.resolve()
    }

    /** Checks again after the faults: the last one may end after the last head and the last published block. */
    async function checkUntilCalm(): Promise<void> {
      await world.healed
      while (world.calmMs === 0) await world.wait(5_000)
      check()
    }
    simulated.onHead(check)

    function startRun(): Process {
      const stopped = new AbortController()
      const resetsBefore = resets
      const process = processes.start(`run ${++runs}`, async (program) => {
        try {
          const reason = await runChain({
            ...{ world, program, settings, published },
            connect: nodes.connect,
            signal: stopped.signal,
          })
          world.note(program.name, `ends: ${reason}`)
          const isReset = resets > resetsBefore
          if (reason === 'ended' && !isReset && oracle.branch.at(-1)?.number !== settings.end)
            world.fail(`${program.name} has ended, and block ${settings.end} is not published`)
        } catch (error) {
          world.note(program.name, `ends: ${(error as Error).message}`)
          checkReason(error)
        }
      })
      alive.set(process, stopped)
      void process.ended.finally(() => alive.delete(process)).catch(() => {})
      return process
    }

    /**
     * The valid reasons for the end of a run: the nodes do not answer, another run has taken over, or nodes contradict
     * the final block.
     */
    function checkReason(error: unknown): void {
      if (error instanceof FencedError || error instanceof RetryableError) return
      const { final } = oracle
      const isBelowFinal = error instanceof UserError && error.code === 'reorganisation_below_final'
      if (!isBelowFinal || !final || !nodes.contradicted(final)) throw error
      if (!isOnBranchOf(simulated.head, final)) isOver.resolve()
    }

    async function runUntilOver(): Promise<void> {
      let over = false
      void isOver.promise.then(() => {
        over = true
      })
      while (!over) {
        if (world.strikes('checkpoint reset')) {
          resets++
          published.reset(random.pick)
        }
        const { ended } = startRun()
        await Promise.race([ended, secondRun.promise, isOver.promise])
        await world.wait(random.integer(random.pick([100, 5_000])))
      }
    }

    /** Checks that a run only polls the head when all blocks are published. */
    async function checkIdle(): Promise<void> {
      // Other runs may still read blocks that are already published.
      for (const [run, stopped] of alive) if (run !== publisher) stopped.abort()
      const before = nodes.requests
      await world.wait(settings.poll * 1000 * idlePolls)
      const sent = nodes.requests - before
      world.note('world', `${sent} requests in ${idlePolls} polls`)
      const limit = (idlePolls + 1) * (1 + nodes.urls.length * requestsPerPoll)
      if (sent > limit) world.fail(`${sent} requests to ${nodes.urls.length} endpoints in ${idlePolls} polls`)
    }

    /** Checks that a stopped run ends and sends no further request. */
    async function checkStop(): Promise<void> {
      for (const stopped of alive.values()) stopped.abort()
      await Promise.all([...alive.keys()].map(({ ended }) => ended))
      const before = nodes.requests
      await world.wait(30_000)
      if (nodes.requests > before) world.fail(`${nodes.requests - before} requests after the end of all runs`)
    }

    disturb(world, [
      {
        kind: 'run stopped',
        strike() {
          for (const stopped of alive.values()) stopped.abort()
        },
      },
      ...simulated.disturbances,
      ...nodes.disturbances,
      ...processes.disturbances,
      {
        kind: 'second run',
        strike() {
          secondRun.resolve()
          secondRun = Promise.withResolvers()
        },
      },
    ])
    void checkUntilCalm()
    await runUntilOver()
    if (oracle.branch.at(-1) === lastBlock()) await checkIdle()
    await checkStop()
  },
}

const latestStart = 12
const idlePolls = 8
/** Maximum number of requests per endpoint for polling the head without a change. */
const requestsPerPoll = 2

function drawSettings({ random }: World, blockSeconds: number): Omit<EvmSettings, 'rpc'> {
  const receipts = random.integer(2) === 0
  const start = random.pick<EvmSettings['start']>(['earliest', 'earliest', 'latest', 3, latestStart])
  return {
    start,
    // The newest block may be after the end of the range: then there is nothing to read.
    ...(start !== 'latest' && random.integer(4) === 0 && { end: 14 + random.integer(16) }),
    poll: Math.max(1, blockSeconds * random.pick([0.4, 1, 3])),
    ...(random.integer(2) === 0 && { timeout: random.pick([1, 5]) }),
    confirmations: random.pick([0, 0, 0, 2]),
    finality: random.pick<EvmSettings['finality']>(['finalized', 'finalized', 4, 12]),
    verify: random.pick(['links', 'links', 'roots']),
    receipts,
    logs: random.integer(2) === 0,
  }
}
