import { expect, test } from 'vitest'
import { UnavailableError } from '../errors.ts'
import type { Service } from '../service/service.ts'
import { createInbox } from './inbox.ts'
import type { StreamMessage } from './stream-message.ts'
import { openTopicEvents } from './topic-events.ts'

test.each([
  ['the first event', 'event: ready\ndata: {"topics\n\n'],
  ['a record', 'event: ready\ndata: {"topics":[{"topic":"a.b","cursor":"AQ"}],"heartbeatMs":1}\n\ndata: {"topic\n\n'],
])('a stream in which %s cannot be read is one to come back to', async (_, text) => {
  const service = { get: async () => new Response(text) } as unknown as Service
  const request = {
    ...{ service, topic: 'a.b', from: 'AQ', onGap: 'error' as const, bufferSize: 1000 },
    ...{ inbox: createInbox<StreamMessage>(), signal: new AbortController().signal, onSilence: () => {} },
  }
  const reading = openTopicEvents(request).then(({ read }) => read())
  await expect(reading).rejects.toThrow(UnavailableError)
  await expect(reading).rejects.toThrow('could not be read')
})
