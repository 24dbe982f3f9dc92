import { expect, test } from 'vitest'
import { PositionUnavailableError, UnavailableError } from '../errors.ts'
import type { Service } from '../service/service.ts'
import { createInbox } from './inbox.ts'
import type { StreamMessage } from './stream-message.ts'
import { openTopicEvents } from './topic-events.ts'

test.each([
  ['the first event', 'event: ready\ndata: {"topics\n\n'],
  ['a record', 'event: ready\ndata: {"topics":[{"topic":"a.b","cursor":"AQ"}],"heartbeatMs":1}\n\ndata: {"topic\n\n'],
])('a stream in which %s cannot be read is one to come back to', async (_, text) => {
  const service = { get: async () => new Response(text) } as unknown as Service
  const reading = openTopicEvents(requestOf(service)).then(({ read }) => read())
  await expect(reading).rejects.toThrow(UnavailableError)
  await expect(reading).rejects.toThrow('could not be read')
})

test('where the earliest records go away while they are asked for, reading goes on at the next earliest', async () => {
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
    ...{ service, topic: 'a.b', from: 'AQ', onGap: 'error' as const, bufferSize: 1000 },
    ...{ inbox: createInbox<StreamMessage>(), signal: new AbortController().signal, onSilence: () => {} },
  }
}
