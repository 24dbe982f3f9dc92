import { createTestProject } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import { planFaults } from '../../../testbed/faults/fault-plan.ts'
import { queueFaults, queueWithFault } from '../queue-faults.ts'
import { randomScript } from '../reverts/random-script.ts'
import { expectReplayed } from '../reverts/replay.ts'
import { parseScript, scriptConnector, scripts } from '../reverts/script.ts'

const folder = new URL('../chain', import.meta.url)
const counts = { once: 6, scaled: 12, full: 2000 }

test('random reverts of sources are published correctly under every fault', async () => {
  const plan = planFaults('reverts', counts, [])
  const { random } = plan
  for (let hits = 0, round = 0; hits < plan.count; round++) {
    const units = round % 2 === 0 ? randomScript(random, 8 + random.integer(40)) : parseScript(random.pick(scripts)[1])
    await using project = await createTestProject(folder)
    // Each run ends or fails at some point, and the source continues in between.
    for (let upTo = 1; upTo < units.length; upTo += 1 + random.integer(units.length)) {
      const fault = random.pick(queueFaults)
      const at = { writerId: project.instance.writerId, random, times: 12 }
      const queue = queueWithFault(project.queue, fault, at)
      await project
        .run(scriptConnector(units.slice(0, upTo)), { queue, oneByOne: random.integer(2) === 0 })
        .catch((error: Error) => expect(error.message).toBe('crash'))
      if (queue.pending.length > 0) continue
      plan.hit(fault.name)
      hits++
    }
    await project.run(scriptConnector(units))
    await expectReplayed(project, units)
  }
  plan.expectAllHit()
})
