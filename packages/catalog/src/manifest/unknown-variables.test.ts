import { expect, test } from 'vitest'
import type { Manifest } from './manifest.ts'
import { explainUnknownVariables } from './resolve-settings.ts'

const manifest = { config: { properties: { poll: {}, pageSize: {} } } } as unknown as Manifest

test('a variable with the prefix CONNECTOR_ that belongs to no setting is reported', () => {
  const environment = { CONNECTOR_POLL: '1', CONNECTOR_PAGE_SIZE: '2', PATH: '/bin', CONNECTOR_PAGESIZE: '3' }
  expect(explainUnknownVariables(manifest, environment)).toEqual([
    'The environment variable CONNECTOR_PAGESIZE belongs to no setting and is ignored. Did you mean "CONNECTOR_PAGE_SIZE"?',
  ])
})

test('an unknown variable from a file is reported with its place', () => {
  expect(explainUnknownVariables(manifest, { CONNECTOR_POL: '1' }, { CONNECTOR_POL: '.env:2' })).toEqual([
    'CONNECTOR_POL in .env:2 belongs to no setting and is ignored. Did you mean "CONNECTOR_POLL"?',
  ])
})

test('an unknown variable without a similar setting is reported without a proposal', () => {
  expect(explainUnknownVariables(manifest, { CONNECTOR_DATABASE_PASSWORD: 'x' })).toEqual([
    'The environment variable CONNECTOR_DATABASE_PASSWORD belongs to no setting and is ignored.',
  ])
})
