import type { Socket } from 'node:net'
import { WebSocket } from 'ws'
import { endMessages, type Transport } from '../feed/transport.ts'
import type { Run } from '../history/run.ts'
import { memoize } from '../memoize.ts'
import { closeReasons } from './close-codes.ts'

export type FrameCache = (run: Run) => Buffer

const head = Buffer.from('{"jsonrpc":"2.0","method":"subscription","params":')
const tail = Buffer.from('}')

export function createFrameCache(): FrameCache {
  return memoize((run: Run) => Buffer.concat(run.records.map(({ json }) => frameText([head, json, tail]))))
}

export function createWebSocketTransport(ws: WebSocket, socket: Socket, frames: FrameCache): Transport {
  const notify = (method: string, params: unknown) => {
    if (ws.readyState === WebSocket.OPEN) ws.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }
  return {
    protocol: 'websocket',
    socket,
    onClose: (listener) => void socket.once('close', listener),
    records(run) {
      // `ws.send` would frame the same bytes again for every client. Without compression it writes whole messages at
      // once, so frames never mix.
      if (ws.readyState === WebSocket.OPEN) socket.write(frames(run))
    },
    progress: (progress) => notify('progress', progress),
    gap: (gap) => notify('gap', gap),
    end: (reason) => ws.close(closeReasons[reason].code, endMessages[reason]),
  }
}

const opcodeText = 0x81

/** One final, unmasked frame (RFC 6455, section 5.2). */
export function frameText(parts: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const part of parts) length += part.byteLength
  const headerBytes = length < 126 ? 2 : length < 65536 ? 4 : 10
  const frame = Buffer.allocUnsafe(headerBytes + length)
  frame[0] = opcodeText
  if (headerBytes === 2) frame[1] = length
  else if (headerBytes === 4) {
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(length), 2)
  }
  let at = headerBytes
  for (const part of parts) {
    frame.set(part, at)
    at += part.byteLength
  }
  return frame
}
