import { afterEach, expect, test, vi } from 'vitest'
import { InvalidOptionError, PositionUnavailableError, UnavailableError } from '../errors.ts'
import type { Service } from '../service/service.ts'
import type { StreamMessage } from './connection.ts'
import { connectEvents, openTopicEvents } from './event-connection.ts'
import { createInbox } from './inbox.ts'

afterEach(() => void vi.unstubAllGlobals())

const credential = { value: 'hr_test_key', renewAt: Number.POSITIVE_INFINITY }

test('a page may read five topics over SSE, and Node any number', async () => {
  const get = vi.fn().mockRejectedValue(new UnavailableError('overloaded', 'Busy.'))
  const service = { get } as unknown as Service
  const read = (topics: number) => {
    const places = new Map(Array.from({ length: topics }, (_, n) => [`a.b${n}`, 'latest']))
    const request = { service, credential, places, onGap: 'error', select: {}, bufferSize: 1000 } as const
    return connectEvents({ ...request, signal: undefined })
  }
  await expect(read(6)).rejects.toThrow(UnavailableError)
  vi.stubGlobal('document', {})
  await expect(read(5)).rejects.toThrow(UnavailableError)
  get.mockClear()
  await expect(read(6)).rejects.toThrow(InvalidOptionError)
  await expect(read(6)).rejects.toThrow('WebSocket')
  expect(get).not.toHaveBeenCalled()
})

test.each([
  ['the first event', 'event: ready\ndata: {"topics\n\n'],
  ['a record', 'event: ready\ndata: {"topics":[{"topic":"a.b","cursor":"AQ"}],"heartbeatMs":1}\n\ndata: {"topic\n\n'],
])('a stream with an unreadable %s is retried', async (_, text) => {
  const service = { get: async () => new Response(text) } as unknown as Service
  const reading = openTopicEvents(requestOf(service)).then(({ read }) => read())
  await expect(reading).rejects.toThrow(UnavailableError)
  await expect(reading).rejects.toThrow('could not be read')
})

test('a stream starts at the next earliest record if the earliest ones are removed while it opens', async () => {
  const asked: unknown[] = []
  const get = async (_: string, { from }: { from: string }) => {
    asked.push(from)
    const earliest = { AQ: 'AQb', AQb: 'AQc' }[from]
    if (earliest) throw new PositionUnavailableError('Gone.', { topic: 'a.b', earliest })
    return new Response('event: ready\ndata: {"topics":[{"topic":"a.b","cursor":"AQc"}],"heartbeatMs":1}\n\n')
  }
  const request = { ...requestOf({ get } as unknown as Service), onGap: 'skip' as const }
  expect(await openTopicEvents(request)).toMatchObject({ start: 'AQc' })
  expect(asked).toEqual(['AQ', 'AQb', 'AQc'])
  expect(await request.inbox.take()).toMatchObject([
    { kind: 'gap', gap: { after: 'AQ', resumeAt: 'AQb' } },
    { kind: 'gap', gap: { after: 'AQb', resumeAt: 'AQc' } },
  ])
})

function requestOf(service: Service) {
  return {
    ...{ service, credential, topic: 'a.b', from: 'AQ', onGap: 'error' as const, select: {}, bufferSize: 1000 },
    ...{ inbox: createInbox<StreamMessage>(), signal: new AbortController().signal, onSilence: () => {} },
  }
}
