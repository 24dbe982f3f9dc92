import { randomBytes } from 'node:crypto'
import type { Queue } from '@headrace/queue'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { describe, expect, inject, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { observed, watchChild } from '../process/kills.ts'
import { languages } from '../process/languages.ts'
import { scriptedChild } from '../process/scripted-child.ts'
import { queueFaults, queueWithFault } from '../queue-faults.ts'
import { expectReplayed } from '../reverts/replay.ts'
import { parseScript, scripts } from '../reverts/script.ts'

const kafka = inject('kafka')
const addresses = [undefined, ...(kafka ? [`kafka://${kafka}`] : [])]
const counts = { once: 4, scaled: 6, full: 1000 }

for (const language of languages)
  describe.skipIf(language.missing)(`a source in ${language.name} that reverts`, () => {
    test(`is published correctly under every fault and with killed children`, async () => {
      const plan = planFaults(`children in ${language.name}`, counts, ['killed child'])
      let kills = 0
      for (let round = 0; kills < plan.count; round++) {
        const address = addresses[round % addresses.length]
        const chain = Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
        await using project = await createTestProject(new URL('../chain', import.meta.url), {
          settings: { chain },
          ...(address && { queue: address }),
        })
        const units = parseScript(plan.random.pick(scripts)[1])
        const child = scriptedChild(project, { language, units, oneByOne: true })
        const fault = plan.random.pick(queueFaults)
        const writerId = `acme.chain.1_0_0/${chain}`
        const queue = queueWithFault(project.queue, fault, { writerId, random: plan.random, times: 6 })
        if (await runAndKill(project, child, { queue, killAt: plan.random.integer(units.length) })) {
          plan.hit('killed child')
          kills++
        }
        if (queue.pending.length === 0) plan.hit(fault.name)
        await project.run(child)
        await expectReplayed(project, units)
      }
      plan.expectAllHit()
    })
  })

/**
 * Runs until the source or the fault of the queue ends the run. Kills the child after the given number of units.
 * Returns false if the run or the child had ended before.
 */
async function runAndKill(
  project: TestProject,
  child: ReturnType<typeof scriptedChild>,
  { queue, killAt }: { queue: Queue; killAt: number },
): Promise<boolean> {
  const watch = watchChild()
  let seen = 0
  let killed = false
  const connector = observed(child, () => {
    if (seen++ === killAt) killed = watch.kill()
  })
  const retry = { firstMs: 1, maxMs: 10, budgetMs: 60_000 }
  await project
    .run(connector, { queue, retry, log: pino({}, watch) })
    .catch((error: Error) => expect(error.message).toBe('crash'))
  return killed
}
