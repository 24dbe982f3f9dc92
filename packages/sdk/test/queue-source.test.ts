import type { TestProject } from '@headrace/sdk/testing'
import { afterEach, beforeEach, describe, inject, test } from 'vitest'
import { newChain, openFixed } from './chain/open.ts'
import { expectTotals } from './queue-source/expect-totals.ts'
import { totalsConnector } from './queue-source/totals/connector.ts'
import { differingScripts, parseScript, scriptConnector, scripts } from './reverts/script.ts'

const engines: [string, string | undefined][] = [['embedded', undefined]]
const kafka = inject('kafka')
if (kafka) engines.push(['Kafka', `kafka://${kafka}`])

const folders = { chain: new URL('chain/', import.meta.url), totals: new URL('queue-source/totals/', import.meta.url) }

let totals: TestProject
let input: TestProject

async function open(queue: string | undefined): Promise<void> {
  const chain = newChain()
  totals = await openFixed(folders.totals, { settings: { chain }, ...(queue && { queue }) })
  input = await totals.openOther(folders.chain, { settings: { chain } })
}

describe.each(engines)('on %s, the input reverts', (_, address) => {
  beforeEach(() => open(address))
  afterEach(() => totals.close())

  test.each(differingScripts)('%s, before the start of the connector', async (_, script) => {
    const units = parseScript(script)
    await input.run(scriptConnector(units))
    await totals.run(totalsConnector())
    await expectTotals(totals, units)
  })

  // The simulation covers these on Kafka.
  if (address !== undefined) return

  test.each(scripts)('%s, unit by unit', async (_, script) => {
    const units = parseScript(script)
    for (let count = 1; count <= units.length; count++) {
      await input.run(scriptConnector(units.slice(0, count)))
      await totals.run(totalsConnector())
    }
    await expectTotals(totals, units)
  })

  test.each(differingScripts)('%s, while the connector was down', async (_, script) => {
    const units = parseScript(script)
    const before = units.findIndex(({ revertTo }) => revertTo !== undefined)
    await input.run(scriptConnector(units.slice(0, before)))
    await totals.run(totalsConnector())
    await input.run(scriptConnector(units))
    await totals.run(totalsConnector())
    await expectTotals(totals, units)
  })
})
