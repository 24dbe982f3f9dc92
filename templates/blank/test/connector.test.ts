import { createTestProject, testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import connector from '../src/connector.ts'

const folder = new URL('..', import.meta.url)

test('each day is published with all its rates', async () => {
  await using project = await createTestProject(folder)
  await project.run(connector, { stopAfter: 10 })
  const rates = await project.records('Rate')
  expect(rates).toHaveLength(40)
  expect(rates[0]).toMatchObject({
    key: 'CHF',
    unit: 1,
    value: { ts: '2026-01-05T12:00:00Z', base: 'EUR', currency: 'CHF' },
  })
})

test('every day is published exactly once, whatever fails', async () => {
  await testConnector({ connector, folder, until: ({ day }) => day === '2026-01-16', stride: 5 })
})
