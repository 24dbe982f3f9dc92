import { createTestProject, testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import connector from '../src/connector.ts'
import { days, startRatesServer } from './rates-server.ts'

const folder = new URL('..', import.meta.url)

test('without a URL the recorded days are published, each with all its rates', async () => {
  await using project = await createTestProject(folder)
  await project.run(connector, { stopAfter: days.length })
  const rates = await project.records('Rate')
  expect(rates).toHaveLength(4 * days.length)
  expect(rates[0]).toMatchObject({
    unit: 1,
    key: 'CHF',
    value: { ts: '2026-01-05T12:00:00Z', base: 'EUR', currency: 'CHF', value: 0.93794 },
  })
})

test('every day is published exactly once, whatever fails and however late it comes', {
  timeout: 120_000,
}, async () => {
  await using api = await startRatesServer()
  const last = [days[1]!, days[2]!]
  await testConnector({
    connector,
    folder,
    settings: { url: api.url, poll: 0.01 },
    states: last.map((day) => () => api.show(day)),
    until: ({ day }, state) => day === last[state],
    stride: 8,
  })
})

test('the first day is a setting', async () => {
  await using project = await createTestProject(folder, { settings: { start: '2026-01-10' } })
  await project.run(connector, { stopAfter: 1 })
  expect((await project.records('Rate'))[0]).toMatchObject({ value: { ts: '2026-01-12T12:00:00Z' } })
})

test('a request that is answered with 429 is repeated', async () => {
  await using api = await startRatesServer()
  api.show(days[0]!)
  api.refuse(429, { 'retry-after': '1' })
  await using project = await createTestProject(folder, { settings: { url: api.url } })
  await project.run(connector, { stopAfter: 1 })
  expect(await project.checkpoint()).toEqual({ day: days[0] })
})

test('a request that is answered with 404 ends the run with an error that names the setting', async () => {
  await using api = await startRatesServer()
  api.refuse(404)
  await using project = await createTestProject(folder, { settings: { url: api.url } })
  await expect(project.run(connector)).rejects.toMatchObject({ message: expect.stringContaining('CONNECTOR_URL') })
})
