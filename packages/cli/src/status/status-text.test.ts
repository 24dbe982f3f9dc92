import { expect, test } from 'vitest'
import { findingsOf } from './findings.ts'
import type { ConnectorStatus, QueueStatus } from './queue-status.ts'
import { statusText } from './status-text.ts'

const now = Date.parse('2026-08-21T10:00:00Z')
const place = { id: 'a1', host: 'box-1', pid: 4711, version: '0.1.0', started: now - 7_200_000 }

function connector(name: string, instance: string, seenAgo: number, at: number, head: number): ConnectorStatus {
  const writer = `headrace.${name}.1_0_0/${instance}`
  const source = { position: at, head }
  const facts = { kind: 'run', writer, state: 'running', endpoints: [], source } as const
  return {
    ...{ writer, instance, connector: { owner: 'headrace', package: name, version: '1.0.0' } },
    ...{ topics: [], state: seenAgo > 90_000 ? 'lost' : head - at > 10 ? 'catching up' : 'running' },
    run: { process: { ...place, ...facts, perSecond: { units: 1021.34, records: 2042 } }, seen: now - seenAgo },
    checkpoint: { position: at, unit: at, final: null, endpoints: [], time: now - seenAgo },
    ...{ restarts: 0, deadLetters: [] },
  }
}

const gateway = { ...place, kind: 'gateway', environment: 'production', state: 'serving' } as const
const status: QueueStatus = {
  ...{ time: now, moreDeadLetters: false, hidden: ['processes'] },
  connectors: [
    connector('evm', 'ethereum', 2000, 20_999_847, 21_000_000),
    connector('rates', 'main', 240_000, 812, 812),
  ],
  gateways: [{ process: { ...gateway, address: 'http://10.0.0.7:8080', connections: 128 }, seen: now - 4000 }],
  topics: { registered: 14, adopted: 2, missing: [], unregistered: [] },
}

test('a screen has aligned columns, and below them what needs attention', () => {
  expect(statusText(status, findingsOf(status))).toBe(`\
CONNECTOR              STATE        POSITION  LAG  UNITS/S  COMMIT  RESTARTS  DEAD
headrace/evm ethereum  catching up  20999847  153  1021.3   2s ago  0         0
headrace/rates         lost         812       0    –        4m ago  0         0

GATEWAY               STATE    CONNECTIONS  HOST   VERSION  STARTED  SEEN
http://10.0.0.7:8080  serving  128          box-1  0.1.0    2h ago   4s ago

14 topics registered, 2 adopted, 0 dead letters in the last 24 h.

Not permitted to read: processes.

One thing needs attention:
  headrace.rates.1_0_0/main (connector_lost)
    The run on host "box-1" (process 4711) last reported 4m ago, and did not end in order.
    It was killed, or cannot reach the queue: look on that host, and start it again.
`)
})

test('a queue without connectors, and one where nothing needs attention, say so', () => {
  const empty = { ...status, connectors: [], gateways: [], hidden: [], topics: { ...status.topics, adopted: 0 } }
  expect(statusText(empty, [])).toBe(
    'There are no connectors: none has run with this queue.\n\n' +
      '14 topics registered, 0 dead letters in the last 24 h.\n\nNothing needs attention.\n',
  )
})
