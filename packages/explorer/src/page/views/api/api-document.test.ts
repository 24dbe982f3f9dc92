import { describe, expect, it } from 'vitest'
import { type Endpoint, refusalsOf, resolved, type Schema, typeText } from './api-document.ts'
import { curlLine } from './curl-line.ts'
import { exampleOf } from './example.ts'

const tree: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    child: { $ref: '#/components/schemas/Tree', description: 'the next one' },
    children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } },
  },
  required: ['name', 'child', 'children'],
}
const schemas = { Tree: tree, Cursor: { type: 'string' } }

describe('schemas of the API', () => {
  it('have an example, also if they contain themselves', () => {
    expect(exampleOf({ $ref: '#/components/schemas/Tree' }, schemas)).toEqual({
      name: '…',
      child: undefined,
      children: [],
    })
  })

  it('are resolved, with the description next to the reference', () => {
    expect(resolved(tree.properties!.child!, schemas)).toEqual({ ...tree, description: 'the next one' })
    expect(resolved({ $ref: '#/components/schemas/constructor' }, schemas)).toEqual({
      $ref: '#/components/schemas/constructor',
    })
  })

  it('are described in a few words', () => {
    expect(typeText({ type: 'integer', minimum: 1, maximum: 1000 })).toBe('integer, 1 to 1000')
    expect(typeText({ anyOf: [{ $ref: '#/components/schemas/Cursor' }, { type: 'string' }] })).toBe('Cursor or string')
    expect(typeText({ type: 'array', items: { type: ['string', 'null'] } })).toBe('array of string or null')
    expect(typeText({ enum: ['desc', 'asc'] })).toBe('"desc" or "asc"')
  })
})

const endpoint: Endpoint = {
  ...{ operationId: 'readData', method: 'GET', path: '/api/v1/data/{topic}', security: [{}] },
  parameters: [
    { name: 'topic', in: 'path', required: true, schema: {} },
    { name: 'limit', in: 'query', schema: {} },
    { name: 'order', in: 'query', schema: {} },
  ],
  responses: {
    200: { description: 'A page.' },
    400: { description: '- `invalid_cursor`: It is damaged.\n- `invalid_filter`: `detail` says why: here.' },
    503: { description: 'It cannot be read.' },
  },
}

describe('an endpoint', () => {
  it('has its refusals, each with a status, a code and a text', () => {
    expect(refusalsOf(endpoint)).toEqual([
      { status: '400', code: 'invalid_cursor', text: 'It is damaged.' },
      { status: '400', code: 'invalid_filter', text: '`detail` says why: here.' },
      { status: '503', code: '', text: 'It cannot be read.' },
    ])
  })

  it('has a command with what it requires', () => {
    expect(curlLine(endpoint, 'https://a')).toBe(
      'curl -H "Authorization: Bearer $KEY" "https://a/api/v1/data/$TOPIC?limit=3"',
    )
  })
})
