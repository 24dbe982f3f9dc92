import type { Unit } from '@headrace/sdk'
import { createScriptedConnector, createTestProject, type TestProject, testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import connector from '../src/connector.ts'
import { Rate } from '../src/generated/rates.ts'

const folder = new URL('..', import.meta.url)
const settings = { input: 'local.rates.1_0_0.rates_Rate', follow: false }

/** Of fault tests, in ms. */
const timeout = 60_000

const schema = { messages: { Rate: { name: 'rates.Rate', encode: Rate.encode } }, config: {} }

/** Days 1 to 3. Day 3 is then reverted and published again with another rate. */
const days = [dayOf(1, 1.1), dayOf(2, 1.2), dayOf(3, 1.3), { ...dayOf(3, 1.6), checkpoint: '3 again', revertTo: '2' }]

test('every unit of the input becomes exactly one unit, whatever fails and whatever the input reverts', {
  timeout,
}, async () => {
  await testConnector({
    connector,
    folder,
    settings,
    states: [(project) => publish(project, 3), (project) => publish(project, 4)],
    stride: 4,
  })
})

test('each day has the value of one US dollar in every other currency', async () => {
  await using project = await createTestProject(folder, { settings })
  await publish(project, 4)
  await project.run(connector)
  const rates = await project.records('CrossRate')
  expect(rates.map(({ op, key }) => `${op} ${key}`)).toEqual([
    ...['append EUR', 'append CHF', 'append EUR', 'append CHF', 'append EUR', 'append CHF'],
    ...['revert CHF', 'revert EUR', 'append EUR', 'append CHF'],
  ])
  expect(rates.slice(-2).map(({ value }) => value)).toEqual([
    { ts: '2026-01-03T12:00:00Z', base: 'USD', currency: 'EUR', value: 0.625 },
    { ts: '2026-01-03T12:00:00Z', base: 'USD', currency: 'CHF', value: 0.5 },
  ])
})

test('every recorded unit is published exactly once', { timeout }, async () => {
  await testConnector({ connector, folder, settings: { follow: false }, stride: 10 })
  await using project = await createTestProject(folder, { settings: { follow: false } })
  await project.run(connector)
  expect(await project.records('CrossRate')).toHaveLength(40)
})

/** Publishes the first days to the project's queue, as the connector of the input. */
async function publish(project: TestProject, count: number): Promise<void> {
  const input = await project.openOther(new URL('input', import.meta.url))
  await input.run(createScriptedConnector({ schema, units: days.slice(0, count) }))
}

function dayOf(day: number, dollars: number): Unit<typeof schema, string> {
  const ts = { seconds: BigInt(Date.UTC(2026, 0, day, 12) / 1000), nanos: 0 }
  const rates = [
    { ts, base: 'EUR', currency: 'CHF', value: 0.8 },
    { ts, base: 'EUR', currency: 'USD', value: dollars },
  ]
  return { checkpoint: `${day}`, messages: { Rate: rates } }
}
