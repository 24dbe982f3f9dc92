import { expect, test } from 'vitest'
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts'
import { addRunReport, readRunReport, reportedEndpoints } from './run-report.ts'

const checkpoint = { position: { number: 20 }, unit: 21, previous: 20, nextSeq: {}, final: null, time: {} }
const encoded = encodeCheckpoint(checkpoint)
const source = { position: 20, head: 30 }

test('a report is read from the checkpoint that it was added to, which is decoded as before', () => {
  const report = { source, endpoints: [{ endpoint: 'https://"one".example', up: true }] }
  const reported = addRunReport(encoded, report)
  expect(readRunReport(reported)).toEqual(report)
  expect(decodeCheckpoint(reported)).toEqual(checkpoint)
  expect(addRunReport(encoded, { endpoints: [] })).toEqual(encoded)
  expect(readRunReport(encoded)).toEqual({ endpoints: [] })
})

test('a report has a limited number of endpoints', () => {
  const endpoints = Array.from({ length: 40 }, (_, n) => ({ endpoint: `${n}`, up: true }))
  expect(readRunReport(addRunReport(encoded, { endpoints })).endpoints).toEqual(endpoints.slice(0, reportedEndpoints))
})

test.each([
  ['is not an object', [1]],
  ['has a source without a head', { source: { position: 1 } }],
  ['has a source that is not a number', { source: { position: Number.NaN, head: 1 } }],
  ['has endpoints of another form', { endpoints: { one: true } }],
  ['has an endpoint without a name', { endpoints: [{ up: true }, null] }],
])('of a report that %s, what can be read remains', (_, run) => {
  const value = Buffer.from(JSON.stringify({ ...checkpoint, run }))
  expect(readRunReport(value)).toEqual({ endpoints: [] })
})
