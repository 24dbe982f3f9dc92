import { createInterface } from 'node:readline/promises'
import type { Writable } from 'node:stream'
import type { ReadStream } from 'node:tty'

/** Asks a question on a terminal. Resolves to the answer, which is empty after Ctrl-C or the end of the input. */
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
