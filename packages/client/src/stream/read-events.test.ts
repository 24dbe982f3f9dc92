import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readEvents, type StreamEvent } from './event-connection.ts'

/** The events of a stream that arrives in these chunks. */
async function read(...chunks: string[]): Promise<StreamEvent[]> {
  const body = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  const reader = readEvents(new Response(body), new AbortController().signal)
  const events: StreamEvent[] = []
  try {
    for (;;) events.push(...(await reader.next()).value)
  } catch (error) {
    expect(error).toMatchObject({ code: 'service_unavailable', message: 'The event stream ended.' })
    return events
  }
}

test('events are read by the rules of the HTML standard', async () => {
  expect(await read('data: a\n\n')).toEqual([{ event: 'message', data: 'a' }])
  expect(await read('data:a\ndata:  b\n\n')).toEqual([{ event: 'message', data: 'a\n b' }])
  expect(await read('event: gap\nid: 7\ndata: {"a":":"}\n\n')).toEqual([{ event: 'gap', data: '{"a":":"}' }])
  expect(await read(':\n:comment\n\ndata\n\n')).toEqual([{ event: 'message', data: '' }])
  expect(await read('event: a\n\ndata: b\n\n')).toEqual([{ event: 'message', data: 'b' }])
  expect(await read('data: not whole\n')).toEqual([])
})

test('the events of a stream do not depend on its chunks', async () => {
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r')
  const line = fc.constantFrom('data: a', 'data:b', 'event: gap', 'id: 1', ':', '', '')
  const lines = fc.array(fc.tuple(line, lineEnd).map((parts) => parts.join('')))
  const stream = lines.map((all) => `${all.join('')}\n\n.`)
  await fc.assert(
    fc.asyncProperty(stream, fc.array(fc.nat(100)), async (text, cuts) => {
      const places = [0, ...cuts.map((cut) => cut % text.length), text.length].toSorted((a, b) => a - b)
      const chunks = places.slice(1).map((place, n) => text.slice(places[n], place))
      expect(await read(...chunks)).toEqual(await read(text))
    }),
  )
})
