import { expect, test } from 'vitest'
import { decodeProcess, encodeProcess, type ProcessRecord } from './process-record.ts'
import { staleProcesses } from './read-processes.ts'

const hour = 3_600_000
const now = Date.parse('2026-08-21T10:00:00Z')

const run = (id: string, ago: number, writer = 'acme.a.1_0_0/main'): ProcessRecord => ({
  ...{ id, host: 'box', pid: 1, version: '1.0.0', started: now - ago, kind: 'run', writer, state: 'running' },
  ...{ endpoints: [], perSecond: { units: 0, records: 0 } },
})
const gateway = (id: string, ago: number): ProcessRecord => ({
  ...{ id, host: 'box', pid: 1, version: '1.0.0', started: now - ago, kind: 'gateway', address: 'http://g' },
  ...{ environment: 'production', state: 'serving', connections: 0 },
})
const seen = (...processes: readonly ProcessRecord[]) =>
  new Map(processes.map((process) => [process.id, { process, seen: process.started }]))

test('the newest run of a connector is kept however old it is, earlier runs and gateways for a day', () => {
  const processes = seen(
    ...[run('newest', 48 * hour), run('earlier', 49 * hour), run('other', 72 * hour, 'acme.b.1_0_0/main')],
    ...[gateway('new', hour), gateway('old', 25 * hour)],
  )
  expect(staleProcesses(processes, now)).toEqual(['old', 'earlier'])
})

test('of a connector that is restarted all the time, 20 runs are kept', () => {
  const processes = seen(...Array.from({ length: 25 }, (_, index) => run(`${index}`, index * 1000)))
  expect(staleProcesses(processes, now)).toEqual(['20', '21', '22', '23', '24'])
})

test.each([
  '',
  'null',
  '[]',
  '{"kind":"run"}',
  JSON.stringify({ ...run('a', 0), endpoints: 1 }),
  JSON.stringify({ ...run('a', 0), source: { position: 'x', head: 1 } }),
  JSON.stringify({ ...gateway('a', 0), connections: null }),
  JSON.stringify({ ...gateway('a', 0), kind: 'other' }),
])('a record that another version has written differently is left out: %s', (text) => {
  expect(decodeProcess(Buffer.from(text))).toBeUndefined()
})

test.each([run('a', 0), gateway('b', 0)])('a record of a $kind is read as it was written', (process) => {
  expect(decodeProcess(encodeProcess(process))).toEqual(process)
})
