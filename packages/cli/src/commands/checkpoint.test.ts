import { expect, test } from 'vitest'
import { checkpointJson } from './checkpoint.ts'

test('units and seqs are text, times are RFC 3339, and the position is unchanged', () => {
  const checkpoint = {
    position: { unit: 7, time: 5 },
    ...{ unit: 3, previous: 2, nextSeq: { a: [4, 0] }, final: { unit: 1, nextSeq: { a: [1, 0] } } },
    time: { a: [Date.parse('2026-08-21T10:00:00Z'), 0] },
  }
  expect(checkpointJson(checkpoint)).toEqual({
    position: { unit: 7, time: 5 },
    ...{ unit: '3', previous: '2', nextSeq: { a: ['4', '0'] }, final: { unit: '1', nextSeq: { a: ['1', '0'] } } },
    time: { a: ['2026-08-21T10:00:00.000Z', null] },
  })
  expect(checkpointJson({ ...checkpoint, previous: null, final: null })).toMatchObject({ previous: null, final: null })
})
