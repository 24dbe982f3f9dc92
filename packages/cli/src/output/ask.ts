import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'

/** Asks a question on a terminal and resolves to the answer. To break off, or to end the input, is an empty answer. */
export async function ask(question: string, input: ReadStream, output: Writable): Promise<string> {
  const lines = createInterface({ input, output })
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  lines.on('SIGINT', () => lines.close())
  lines.on('close', () => resolve(''))
  try {
    return await Promise.race([lines.question(question), closed])
  } finally {
    lines.close()
  }
}
