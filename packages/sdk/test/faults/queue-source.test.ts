import { randomBytes } from 'node:crypto'
import { type TestProject, testConnector } from '@headrace/sdk/testing'
import { expect, inject, test } from 'vitest'
import { totalsConnector } from '../queue-source/totals/connector.ts'
import { parseScript, scriptConnector } from '../reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

const input = new URL('../chain', import.meta.url)
const stride = { once: 20, scaled: 7, full: 1 }[inject('faultScale')]

/** Topics of its own for each fault: the broker is shared. */
const newChain = () => Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')

test.each(engines)('on %s, whatever fails, the output is made of the input exactly once', async (engine, queue) => {
  const units = parseScript('a0 a1 a2 a1<b2 b3 a0<c1')
  let chain = ''
  const { faults } = await testConnector({
    connector: totalsConnector(),
    folder: new URL('../queue-source/totals', import.meta.url),
    settings: () => {
      chain = newChain()
      return { chain }
    },
    ...(queue && { queue }),
    stride,
    states: [3, 7].map((count) => async (project: TestProject) => {
      const source = await project.beside(input, { settings: { chain } })
      await source.run(scriptConnector(units.slice(0, count)))
    }),
  })
  const listed = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
  console.log(`a connector that reads topics, on ${engine}: ${listed.join(', ')}`)
  expect(listed).toHaveLength(12)
})
