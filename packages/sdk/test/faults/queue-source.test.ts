import { type TestProject, testConnector } from '@headrace/sdk/testing'
import { expect, inject, test } from 'vitest'
import { totalsConnector } from '../queue-source/totals/connector.ts'
import { parseScript, scriptConnector } from '../reverts/script.ts'

const input = new URL('../chain', import.meta.url)
const stride = { once: 20, scaled: 7, full: 1 }[inject('faultScale')]
const settings = { chain: 'one' }

test('the output is derived from the input exactly once under every fault', async () => {
  const units = parseScript('a0 a1 a2 a1<b2 b3 a0<c1')
  const { faults } = await testConnector({
    connector: totalsConnector(),
    folder: new URL('../queue-source/totals', import.meta.url),
    settings,
    stride,
    states: [3, 7].map((count) => async (project: TestProject) => {
      const source = await project.openOther(input, { settings })
      await source.run(scriptConnector(units.slice(0, count)))
    }),
  })
  const listed = Object.entries(faults).map(([kind, count]) => `${kind} ${count}`)
  console.log(`a connector that reads topics: ${listed.join(', ')}`)
  expect(listed).toHaveLength(12)
})
