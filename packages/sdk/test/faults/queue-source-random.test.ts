import { randomBytes } from 'node:crypto'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { expect, inject, test } from 'vitest'
import { type FaultPlan, planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { queueFaults, queueWithFault } from '../queue-faults.ts'
import { expectTotals } from '../queue-source/expect-totals.ts'
import { totalsConnector } from '../queue-source/totals/connector.ts'
import { randomScript } from '../reverts/random-script.ts'
import { scriptConnector } from '../reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

const folders = {
  chain: new URL('../chain', import.meta.url),
  totals: new URL('../queue-source/totals', import.meta.url),
}
const counts = { once: 6, scaled: 14, full: 1000 }

/** Topics of its own for each round: the broker is shared. */
const newChain = () => Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')

test.each(engines)('on %s, the output is that of a random input, whatever fails in both', async (engine, address) => {
  const plan = planFaults(`random inputs on ${engine}`, counts, [])
  const { random } = plan
  for (let hits = 0; hits < plan.count; ) {
    const units = randomScript(random, 30 + random.integer(120), 40)
    const chain = newChain()
    await using totals = await createTestProject(folders.totals, {
      settings: { chain },
      ...(address && { queue: address }),
    })
    const input = await totals.beside(folders.chain, { settings: { chain } })
    // There is no input before its connector has run.
    await input.run(scriptConnector(units.slice(0, 1)))
    for (let upTo = 1; upTo < units.length; upTo += 1 + random.integer(units.length)) {
      hits += await runWithFault(input, scriptConnector(units.slice(0, upTo)), plan)
      hits += await runWithFault(totals, totalsConnector(), plan)
    }
    await input.run(scriptConnector(units))
    await totals.run(totalsConnector())
    await expectTotals(totals, units)
  }
  plan.expectAllHit()
})

/** Runs until the source ends or a fault of the queue ends it. Returns how many faults took place. */
async function runWithFault(
  project: TestProject,
  connector: Parameters<TestProject['run']>[0],
  { random, hit }: FaultPlan,
): Promise<number> {
  const fault = random.pick(queueFaults)
  const queue = queueWithFault(project.queue, fault, { writerId: project.instance.writerId, random, times: 20 })
  await project
    .run(connector, { queue, oneByOne: random.integer(4) === 0 })
    .catch((error: Error) => expect(error.message).toBe('crash'))
  if (queue.pending.length > 0) return 0
  hit(fault.name)
  return 1
}
