import { setTimeout as delay } from 'node:timers/promises'
import { checkpointPartition } from '@headrace/catalog'
import { openQueue, type Queue } from '@headrace/queue'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { useProxiedKafka } from '../../../queue/test/faults/proxied-kafka.ts'
import { type FaultPlan, planFaults } from '../../../testbed/faults/fault-plan.ts'
import type { ConnectorProcess } from '../whole-path/connector-process.ts'
import { type ClockProject, createClockProject, readTicks, writerOf } from './clock-project.ts'
import { moments, started, startRun, startSuspended } from './suspended-run.ts'

const scale = inject('faultScale')
/** In ms. The runtime treats a gap of more than 5 s as sleep, which must not spend the budgets of 30 s and 45 s. */
const durations = { once: [7_000, 7_000], scaled: [7_000, 7_000], full: [60_000, 90_000] } as const
const allMoments = Object.keys(moments) as (keyof typeof moments)[]
const suspendedAt = scale === 'full' ? allMoments : allMoments.slice(0, 1)

describe.skipIf(inject('kafka') === null)('a run on Kafka whose process is suspended', () => {
  const kafka = useProxiedKafka({ transactionVersion: 2 })
  const runs: ConnectorProcess[] = []
  let project: ClockProject
  let queue: Queue

  const killAll = (): void => {
    for (const { child } of runs) child.kill('SIGKILL')
  }

  beforeAll(async () => {
    process.on('exit', killAll)
    project = await createClockProject()
    queue = await openQueue(`kafka://${kafka.bootstrap}`)
  })
  afterAll(async () => {
    killAll()
    process.off('exit', killAll)
    await queue?.close()
    await project?.[Symbol.asyncDispose]()
  })

  it('continues by itself, and ends with 76 where another run has taken over', async () => {
    const kinds = (['alone', 'replaced'] as const).flatMap((kind) => suspendedAt.map((at) => ({ at, kind })))
    const steps = kinds.map(({ at, kind }) => `${at} ${kind}`)
    const plan = planFaults('suspended runs', { once: 2, scaled: 2, full: 10 }, steps)
    const chains = newChains(plan)
    const rounds: Round[] = []
    for (let index = 0; index < plan.count; index++) {
      const { at, kind } = kinds[index % kinds.length]!
      const [least, most] = durations[scale]
      const durationMs = least + plan.random.integer(most - least + 1)
      const chain = chains[index]!
      const run = await startSuspended({ dir: project.dir, chain, proxy: kafka.proxy }, at)
      runs.push(run)
      rounds.push({ name: `${at} ${kind}`, chain, run, replaced: kind === 'replaced', over: delay(durationMs) })
    }
    const outcomes = await Promise.allSettled(rounds.map(resume))
    for (const [index, { name }] of rounds.entries()) if (outcomes[index]!.status === 'fulfilled') plan.hit(name)
    const wrong = outcomes.flatMap((outcome, index) =>
      outcome.status === 'rejected' ? `${rounds[index]!.name}: ${(outcome.reason as Error).message}` : [],
    )
    expect(wrong).toEqual([])
    plan.expectAllHit()
  })

  async function resume({ chain, run, replaced, over }: Round): Promise<void> {
    let current = run
    if (replaced) {
      current = startRun({ dir: project.dir, chain, proxy: kafka.proxy })
      runs.push(current)
      await started(current)
    }
    await over
    const before = (await readTicks(queue, chain)).length
    run.child.kill('SIGCONT')
    if (replaced) expect((await run.ended).code, 'exit code of the run that was suspended').toBe(76)
    await publishedAfter(current, chain, before)
    current.child.kill('SIGTERM')
    expect((await current.ended).code, 'exit code of the run that continues').toBe(0)
    const ticks = await readTicks(queue, chain)
    expect(ticks).toEqual(ticks.map((_, index) => ({ seq: index, number: index })))
  }

  async function publishedAfter({ child, ended }: ConnectorProcess, chain: string, before: number): Promise<void> {
    while ((await readTicks(queue, chain)).length < before + 3) {
      if (child.exitCode !== null) throw new Error(`The run ended with ${child.exitCode}: ${(await ended).stderr}`)
      await delay(200)
    }
  }
})

interface Round {
  readonly name: string
  readonly chain: string
  readonly run: ConnectorProcess
  /** Whether another run is started while it is suspended. */
  readonly replaced: boolean
  readonly over: Promise<void>
}

/**
 * Names of instances whose checkpoints are in different partitions: an open transaction blocks readers of its
 * partition.
 */
function newChains(plan: FaultPlan): string[] {
  const byPartition = new Map<number, string>()
  while (byPartition.size < plan.count) {
    const chain = plan.random.hex(8).slice(2)
    byPartition.set(checkpointPartition(writerOf(chain)), chain)
  }
  return [...byPartition.values()]
}
