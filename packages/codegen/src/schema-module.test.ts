import { expect, test } from 'vitest'
import { generateSettingsInterface } from './generate-code.ts'

test('a setting is optional only if it has no default and is not required', async () => {
  const code = await generateSettingsInterface({
    type: 'object',
    required: ['url'],
    properties: {
      url: { type: 'string' },
      poll: { type: 'number', default: 1 },
      end: { type: 'integer' },
    },
  })
  expect(code).toBe(`export interface Config {
  url: string
  poll: number
  end?: number
}`)
})

test('descriptions become comments, and titles are omitted', async () => {
  const code = await generateSettingsInterface({
    title: 'Settings',
    type: 'object',
    properties: {
      title: { title: 'The title', description: 'What to call it.', type: 'string', default: 'x' },
    },
  })
  expect(code).toBe(`export interface Config {
  /**
   * What to call it.
   */
  title: string
}`)
})

test('alternatives become unions, even of lists and constants', async () => {
  const code = await generateSettingsInterface({
    type: 'object',
    required: ['rpc', 'start'],
    properties: {
      rpc: { anyOf: [{ type: 'string' }, { type: 'array', minItems: 1, items: { type: 'string' } }] },
      start: { anyOf: [{ enum: ['earliest', 'latest'] }, { type: 'integer' }, { const: 'never' }] },
    },
  })
  expect(code).toContain('rpc: string | string[]')
  expect(code).toContain("start: ('earliest' | 'latest') | number | 'never'")
})

test('a manifest without settings gives an empty interface', async () => {
  expect(await generateSettingsInterface({ type: 'object' })).toBe('export interface Config {}')
})
