import { randomBytes } from 'node:crypto'
import { createTestProject } from '@headrace/sdk/testing'
import { expect, inject, test } from 'vitest'
import { planFaults } from '../../../../scripts/faults/fault-plan.ts'
import { queueFaults, queueWithFault } from '../queue-faults.ts'
import { randomScript } from '../reverts/random-script.ts'
import { expectReplayed } from '../reverts/replay.ts'
import { parseScript, scriptConnector, scripts } from '../reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

const folder = new URL('../chain', import.meta.url)
const counts = { once: 6, scaled: 12, full: 2000 }

/** Topics of its own for each round: the broker is shared. */
const newChain = () => Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')

test.each(engines)(
  'on %s, what sources take back at random is published as it stands, whatever fails',
  async (...on) => {
    const [engine, address] = on
    const plan = planFaults(`reverts on ${engine}`, counts, [])
    const { random } = plan
    for (let hits = 0, round = 0; hits < plan.count; round++) {
      const units =
        round % 2 === 0 ? randomScript(random, 8 + random.integer(40)) : parseScript(random.pick(scripts)[1])
      const chain = newChain()
      await using project = await createTestProject(folder, { settings: { chain }, ...(address && { queue: address }) })
      // Each run is one that ends, or fails, somewhere, and the source goes on while it is down.
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
  },
)
