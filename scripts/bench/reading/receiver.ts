import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface ReceiverOptions {
  readonly url: string
  readonly protocol: 'websocket' | 'sse'
  /** Path and query of the upgrade or of the event stream. */
  readonly path: string
  /** First message of a WebSocket client. The answer to it is not counted. */
  readonly subscribe?: string
  /** Never reads after the subscription. */
  readonly stuck?: boolean
}

/** A client on a bare socket, which only counts messages, so that it needs little CPU time. */
export interface Receiver {
  /** Called with the number of each message since `reset`, and the time in ns. */
  onMessage: ((number: number, at: number) => void) | undefined
  /** Resolves when `count` messages have arrived since `reset`. */
  received(count: number): Promise<void>
  reset(): void
  close(): void
}

export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { hostname, port } = new URL(options.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const isUpgrade = options.protocol === 'websocket'
  socket.write(
    `GET ${options.path} HTTP/1.1\r\nHost: ${hostname}\r\n${isUpgrade ? upgradeHeaders : 'Accept: text/event-stream\r\n'}\r\n`,
  )
  await readHead(socket, isUpgrade ? 101 : 200)
  const counter = isUpgrade ? countFrames() : countEvents()
  const receiver = countMessages(socket, counter)
  // The answer to the subscription, or the event `ready`.
  if (isUpgrade && options.subscribe !== undefined) socket.write(maskedText(options.subscribe))
  if (!isUpgrade || options.subscribe !== undefined) await receiver.received(1)
  receiver.reset()
  if (options.stuck) socket.pause()
  return receiver
}

const upgradeHeaders =
  'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n' +
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

/** Reads the head of the answer; what follows it stays in the socket. */
async function readHead(socket: Socket, status: number): Promise<void> {
  let text = ''
  const closed = once(socket, 'close').then(() => {
    throw new Error('The connection was closed.')
  })
  closed.catch(() => undefined)
  for (;;) {
    await Promise.race([once(socket, 'readable'), closed])
    text += (socket.read() as Buffer | null)?.toString('latin1') ?? ''
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) continue
    if (!text.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`Refused: ${text}`)
    if (end + 4 < text.length) socket.unshift(Buffer.from(text.slice(end + 4), 'latin1'))
    return
  }
}

/** Counts the messages that end in a chunk. */
type Counter = (chunk: Buffer) => number

function countMessages(socket: Socket, count: Counter): Receiver {
  let seen = 0
  let wanted: { readonly count: number; resolve(): void } | undefined
  const receiver: Receiver = {
    onMessage: undefined,
    received: (count) =>
      new Promise((resolve) => {
        wanted = { count, resolve }
        if (seen >= count) resolve()
      }),
    reset() {
      seen = 0
    },
    close: () => socket.destroy(),
  }
  socket.on('data', (chunk: Buffer) => {
    const from = seen
    seen += count(chunk)
    const { onMessage } = receiver
    if (onMessage) {
      const at = Number(process.hrtime.bigint())
      for (let number = from; number < seen; number++) onMessage(number, at)
    }
    if (wanted && seen >= wanted.count) wanted.resolve()
  })
  socket.resume()
  return receiver
}

/** Frames of a server, which are not masked (RFC 6455, section 5.2). */
function countFrames(): Counter {
  let missing = 0
  /** An incomplete frame head. */
  let partial: Buffer = Buffer.alloc(0)
  return (chunk) => {
    const bytes = partial.length > 0 ? Buffer.concat([partial, chunk]) : chunk
    let at = Math.min(missing, bytes.length)
    let frames = missing > 0 && missing === at ? 1 : 0
    missing -= at
    while (missing === 0) {
      const end = frameEnd(bytes, at)
      if (end === undefined) break
      if (end <= bytes.length) frames++
      missing = Math.max(0, end - bytes.length)
      at = end - missing
    }
    partial = bytes.subarray(at)
    return frames
  }
}

/** The offset after the frame at an offset; `undefined` if its head is incomplete. */
function frameEnd(bytes: Buffer, at: number): number | undefined {
  if (bytes.length < at + 2) return undefined
  const length = bytes[at + 1]!
  if (length < 126) return at + 2 + length
  if (length === 126) return bytes.length < at + 4 ? undefined : at + 4 + bytes.readUInt16BE(at + 2)
  return bytes.length < at + 10 ? undefined : at + 10 + Number(bytes.readBigUInt64BE(at + 2))
}

/** An event ends with an empty line. */
function countEvents(): Counter {
  let last = 0
  return (chunk) => {
    let events = last === newline && chunk[0] === newline ? 1 : 0
    for (let at = chunk.indexOf('\n\n'); at >= 0; at = chunk.indexOf('\n\n', at + 2)) events++
    last = chunk.at(-1)!
    return events
  }
}

const newline = 0x0a

/** A text frame of a client, with a mask of zeros. */
function maskedText(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.alloc(8)
  head[0] = 0x81
  head[1] = 0x80 | 126
  head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}
