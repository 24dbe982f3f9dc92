import type { RpcMessage } from '../clients/shapes.ts'
import type { ServedShop } from '../shop/served-shop.ts'
import { opcodes } from './frames.ts'
import { openRawSocket, type RawSocket } from './raw-socket.ts'

/** A WebSocket client that sends arbitrary bytes and parses the server's frames strictly. */
export interface RawWebSocket extends Disposable {
  readonly raw: RawSocket
  send(...frames: readonly Uint8Array[]): void
  /** The next message of the server. */
  message(): Promise<RpcMessage | readonly RpcMessage[]>
  /** The payload of the next Pong. */
  pong(): Promise<string>
  /**
   * The close code of the server (RFC 6455, section 7.1.5). 1005: a Close without a code. 1006: the connection ended
   * without a Close.
   */
  closed(): Promise<number>
}

interface ServerFrame {
  readonly opcode: number
  readonly payload: Buffer
}

export async function openRawWebSocket({ url, key }: Pick<ServedShop, 'url' | 'key'>): Promise<RawWebSocket> {
  const raw = await openRawSocket(url)
  raw.socket.write(
    `GET /ws/v1?api_key=${key} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
  )
  const headBytes = await raw.until('head', () => endOf(raw.received.indexOf('\r\n\r\n')))
  const head = raw.take(headBytes).toString('latin1')
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(`Not upgraded: ${head}`)
  const frames: ServerFrame[] = []
  const next = (opcode: number) => {
    for (let found = takeFrame(raw); found; found = takeFrame(raw)) frames.push(found)
    const index = frames.findIndex((frame) => frame.opcode === opcode)
    return index < 0 ? undefined : frames.splice(index, 1)[0]!
  }
  return {
    raw,
    send: (...bytes) => void raw.socket.write(Buffer.concat(bytes)),
    async message() {
      return JSON.parse((await raw.until('message', () => next(opcodes.text))).payload.toString())
    },
    pong: async () => (await raw.until('pong', () => next(opcodes.pong))).payload.toString(),
    async closed() {
      const frame = await raw.until('close', () => next(opcodes.close) ?? (raw.socket.closed ? null : undefined))
      if (!frame) return 1006
      return frame.payload.length === 0 ? 1005 : frame.payload.readUInt16BE(0)
    },
    [Symbol.dispose]: () => raw[Symbol.dispose](),
  }
}

function endOf(index: number): number | undefined {
  return index < 0 ? undefined : index + 4
}

/** A server neither masks nor fragments, and uses no reserved bit. */
function takeFrame(raw: RawSocket): ServerFrame | undefined {
  const { received } = raw
  if (received.length < 2) return undefined
  const [first, short] = [received[0]!, received[1]!]
  if ((first & 0xf0) !== 0x80 || short > 127) throw new Error(`Not a frame of a server: ${first} ${short}`)
  const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
  if (received.length < headBytes) return undefined
  const length = short < 126 ? short : short === 126 ? received.readUInt16BE(2) : Number(received.readBigUInt64BE(2))
  if (received.length < headBytes + length) return undefined
  return { opcode: first & 15, payload: raw.take(headBytes + length).subarray(headBytes) }
}
