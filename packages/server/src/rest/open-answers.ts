import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** The connections with an answer that is not over: whatever else is written to them would be part of it. */
export interface OpenAnswers {
  has(socket: Socket): boolean
}

export function trackAnswers(server: Server): OpenAnswers {
  const answers = new WeakMap<Socket, number>()
  const add = (socket: Socket, change: 1 | -1) => answers.set(socket, (answers.get(socket) ?? 0) + change)
  server.on('request', ({ socket }, response) => {
    add(socket, 1)
    response.once('close', () => add(socket, -1))
  })
  return { has: (socket) => (answers.get(socket) ?? 0) > 0 }
}
