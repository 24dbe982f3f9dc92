import { Socket } from 'node:net'
import type { ReaderPosition } from '@headrace/catalog'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import type { ApiKey } from '../access/keys/api-key.ts'
import type { Run } from '../history/run.ts'
import { limits } from '../options/limits.ts'
import type { ServedTopic } from '../topics/served-topic.ts'
import type { Feed } from './feed.ts'
import { createStream, type StreamOptions } from './stream.ts'
import { createStreams, type Streams, type StreamsOptions } from './streams.ts'
import type { Start } from './subscription.ts'
import type { Progress, Transport } from './transport.ts'

const topic = { name: 'a.b', id: 'id', partitions: 1 } as ServedTopic
const start: Start = { position: { partitions: [{ offset: 0n, seq: null }] }, onGap: 'skip' }
const gap = { topic: 'a.b', after: 'before', resumeAt: 'here', reason: 'retention' }

/** A feed without records, and the number of its readers. */
function openFeed() {
  const readers = new Set<unknown>()
  const ring = { from: 0n, to: 0n, at: () => undefined }
  const join = (reader: unknown) => {
    readers.add(reader)
    return () => readers.delete(reader)
  }
  const feed = { topic, partitions: [ring], join, view: () => feed } as unknown as Feed
  return { readers, feed }
}

/** A connection, and its messages. */
function openTransport() {
  const sent: string[] = []
  const socket = new Socket()
  const transport: Transport = {
    ...{ protocol: 'sse', socket, onClose: () => {}, records: () => {} },
    progress: () => void sent.push('progress'),
    gap: () => void sent.push('gap'),
    end: (reason) => void sent.push(reason),
  }
  return { sent, transport }
}

const shared = { wholeUnits: {}, limits, log: pino({ level: 'silent' }) }
const optionsOf = (transport: Transport, others: object = {}) =>
  ({ ...shared, key: { id: 'k' }, meter: {}, transport, checkKey() {}, ...others }) as unknown as StreamOptions

test('a topic is not read if the client has disconnected while its start was resolved', () => {
  const { feed, readers } = openFeed()
  const stream = createStream(optionsOf(openTransport().transport))
  stream.close()
  stream.add(feed, start)
  expect(readers.size).toBe(0)
})

test('a gap is sent before the cursor after it, even if the stream ends first', () => {
  const { sent, transport } = openTransport()
  const stream = createStream(optionsOf(transport))
  stream.hold()
  stream.add(openFeed().feed, { ...start, gap })
  stream.end('draining')
  expect(sent).toEqual(['gap', 'progress', 'draining'])
})

const key = { id: 'k', topics: ['*'] } as unknown as ApiKey

/** With this state of the key. */
function streamsOf(current: ApiKey): Streams {
  return createStreams({
    ...shared,
    keys: { watch: vi.fn(), get: () => current },
    usage: { openStream: () => ({}) },
    signal: AbortSignal.abort(),
  } as unknown as StreamsOptions)
}

test('a stream that opens while the gateway drains ends at once', () => {
  const { sent, transport } = openTransport()
  const streams = streamsOf(key)
  streams.endAll('draining')
  streams.open({ key }, transport)
  expect(sent).toEqual(['draining'])
})

test('a stream ends if its key loses the topic while the start is resolved', () => {
  const { sent, transport } = openTransport()
  const { feed, readers } = openFeed()
  const streams = streamsOf({ ...key, topics: ['a.other'] })
  const stream = streams.open({ key }, transport)
  stream.add(feed, start)
  expect(sent.at(-1)).toBe('permission_lost')
  expect(readers.size).toBe(0)
})

test('a slow client gets records of every topic', () => {
  const { transport } = openTransport()
  const { socket } = transport
  let unsent = 0
  Object.defineProperty(socket, 'writableLength', { get: () => unsent })
  const given: string[] = []
  const stream = createStream(
    optionsOf({
      ...transport,
      records({ topic }) {
        given.push(topic.name)
        unsent = limits.unsentBytes + 1
      },
    }),
  )
  const release = stream.hold()
  for (const name of ['a', 'b', 'c']) {
    const named = { ...topic, name }
    const at = (from: bigint) => ({ topic: named, partition: 0, from, to: from + 1n, records: [{}], byteLength: 0 })
    const address = (run: Run, position: ReaderPosition) => {
      position.move(0, { offset: run.to, seq: null })
      return run
    }
    const ring = { from: 0n, to: 100n, at }
    const view = { topic: named, partitions: [ring], join: () => () => undefined, address }
    const feed = { ...view, view: () => view } as unknown as Feed
    stream.add(feed, start)
  }
  release()
  for (let n = 0; n < 5; n++) {
    unsent = 0
    socket.emit('drain')
  }
  stream.close()
  expect(given).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})

test('a stream sends its cursors even if the complete unit is unknown', async () => {
  const { transport } = openTransport()
  const sent = Promise.withResolvers<Progress>()
  const wholeUnits = { through: () => new Promise(() => {}) }
  const options = optionsOf(
    { ...transport, progress: sent.resolve },
    { wholeUnits, limits: { ...limits, heartbeatMs: 10 } },
  )
  const stream = createStream(options)
  stream.add(openFeed().feed, start)
  expect(await sent.promise).toEqual({ cursors: { 'a.b': expect.any(String) }, units: {} })
  stream.close()
})
