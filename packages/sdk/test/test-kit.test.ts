import { testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import { chainConnector } from './chain/connector.ts'
import { parseScript, scriptConnector } from './reverts/script.ts'

const folder = new URL('chain', import.meta.url)

test('a connector that is right passes, and every fault has taken place', async () => {
  const { faults } = await testConnector({
    connector: chainConnector(),
    folder,
    settings: { end: 3 },
  })
  expect(faults).toMatchObject({ 'crash before a commit': 4, 'read fails': 4, 'another run takes over': 4 })
})

test('a source that takes back is followed through every fault', async () => {
  await testConnector({
    connector: scriptConnector(parseScript('a0 a1 a2 a1<b2 b3 a0<c1')),
    folder,
  })
})
