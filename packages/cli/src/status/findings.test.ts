import { expect, test } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import type { RunFacts } from '../presence/process-record.ts'
import { connectorState, connectorStates, type SeenRun } from './connector-state.ts'
import { findingsOf, statusFindingCodes } from './findings.ts'
import type { ConnectorStatus, QueueStatus, SeenGateway } from './queue-status.ts'

const now = Date.parse('2026-08-21T10:00:00Z')
const minute = 60_000
const writer = 'acme.rates.1_0_0/main'
const place = { id: 'a1', host: 'box', pid: 7, version: '1.0.0', started: now - 60 * minute }

interface Scene {
  readonly run?: Partial<SeenRun['process']> & { readonly seenAgo?: number }
  /** Ms ago. */
  readonly committed?: number
  readonly isReplaced?: boolean
  readonly more?: Partial<ConnectorStatus>
}

function sceneStatus({ run, committed, isReplaced = false, more }: Scene): QueueStatus {
  const { seenAgo = 10_000, ...facts } = run ?? {}
  const running: RunFacts = {
    ...{ kind: 'run', writer, state: 'running', endpoints: [], perSecond: { units: 1, records: 2 } },
  }
  const seen = run && { process: { ...place, ...running, ...facts } as SeenRun['process'], seen: now - seenAgo }
  const time = now - (committed ?? 0)
  const checkpoint = committed === undefined ? undefined : { position: 7, unit: 7, final: null, endpoints: [], time }
  const connector = { owner: 'acme', package: 'rates', version: '1.0.0' }
  const state = connectorState({ run: seen, checkpoint, isReplaced, now })
  const status = { writer, connector, instance: 'main', topics: [], state, run: seen, checkpoint }
  return {
    ...{ time: now, gateways: [], moreDeadLetters: false, hidden: [] },
    connectors: [{ ...status, restarts: 0, deadLetters: [], ...more }],
    topics: { registered: 1, adopted: 0, missing: [], unregistered: [] },
  }
}

const source = (position: number, head: number) => ({ source: { position, head } })
const up = (...states: boolean[]) => ({ endpoints: states.map((one, at) => ({ endpoint: `e${at}`, up: one })) })

test.each<[state: string, codes: readonly string[], Scene]>([
  ['running', [], { run: {}, committed: 1000 }],
  ['running', [], { run: source(100, 103), committed: 1000 }],
  ['running', [], { run: source(100, 100), committed: 60 * minute }],
  ['running', [], { committed: 9 * minute }],
  ['running', [], { run: { ...up(true, false) }, committed: 1000 }],
  ['catching up', [], { run: source(100, 9000), committed: 1000 }],
  ['catching up', [], { run: { ...source(100, 9000), earlierLag: 9500 }, committed: 1000 }],
  ['behind', ['connector_behind'], { run: { ...source(100, 9000), earlierLag: 8000 }, committed: 1000 }],
  ['stalled', ['connector_stalled'], { run: source(100, 103), committed: 6 * minute }],
  ['running', [], { run: { ...source(100, 103), started: now - minute }, committed: 60 * minute }],
  ['retrying', ['connector_retrying'], { run: { state: 'retrying' }, committed: 1000 }],
  ['retrying', ['connector_retrying'], { run: { state: 'retrying', ...up(true, false) }, committed: 1000 }],
  ['retrying', ['no_endpoint'], { run: { state: 'retrying', ...up(false, false) }, committed: 1000 }],
  ['stopping', [], { run: { state: 'stopping' }, committed: 1000 }],
  ['stopped', ['connector_stopped'], { run: { ended: { reason: 'stopped', exitCode: 0 } }, committed: 1000 }],
  ['ended', [], { run: { ended: { reason: 'ended', exitCode: 0 } }, committed: 60 * minute }],
  ['failed', ['connector_failed'], { run: { ended: { reason: 'failed', code: 'x', exitCode: 1 } }, committed: 1000 }],
  ['lost', ['connector_lost'], { run: { seenAgo: 91_000 }, committed: 91_000 }],
  ['silent', ['connector_silent'], { committed: 11 * minute }],
  ['not run', [], {}],
  ['replaced', [], { run: { seenAgo: 91_000 }, isReplaced: true }],
  ['running', [], { run: {}, isReplaced: true }],
  ['running', [], { run: {}, committed: 0, more: { restarts: 2 } }],
  ['running', ['connector_restarts'], { run: {}, committed: 0, more: { restarts: 3 } }],
  [
    'running',
    ['dead_letters'],
    { run: {}, committed: 0, more: { deadLetters: [{ topic: 't', code: 'encode_failed', time: now - minute }] } },
  ],
])('a connector is %s, with the findings %s', (state, codes, scene) => {
  const status = sceneStatus(scene)
  expect(status.connectors[0]!.state).toBe(state)
  expect(findingsOf(status).map(({ code }) => code)).toEqual(codes)
})

test('a gateway that has not reported for 90 s, and topics that are missing or not registered, are findings', () => {
  const process = {
    ...place,
    kind: 'gateway',
    address: 'http://g',
    environment: 'production',
    state: 'serving',
  } as const
  const gateway = (ago: number): SeenGateway => ({ process: { ...process, connections: 1 }, seen: now - ago })
  const unregistered = ['a.b.1_0_0.c_D', 'a.b.1_0_0.c_E', 'a.b.1_0_0.c_F', 'a.b.1_0_0.c_G']
  const status: QueueStatus = {
    ...sceneStatus({ run: {}, committed: 0 }),
    gateways: [gateway(89_000), gateway(91_000)],
    topics: { registered: 1, adopted: 0, missing: ['gone'], unregistered },
  }
  const found = findingsOf(status)
  expect(found.map(({ code, about }) => [code, about])).toEqual([
    ['topic_missing', 'gone'],
    ['topic_unregistered', 'a.b.1_0_0.c_D'],
    ['gateway_lost', 'http://g'],
  ])
  expect(found[1]!.message).toBe(
    'a.b.1_0_0.c_D, a.b.1_0_0.c_E, a.b.1_0_0.c_F and 1 more have no registration, so no gateway serves them.',
  )
})

test('docs/reference/cli.md lists every state and every finding of status, and no other', () => {
  const rows = readReferencePage('cli.md').rows('What status shows', 'state')
  expect(rows.map(([cell]) => cell)).toEqual([...connectorStates])
  const found = readReferencePage('cli.md').rows('What status shows', 'finding')
  expect(found.map(([cell]) => cell)).toEqual([...statusFindingCodes])
})
