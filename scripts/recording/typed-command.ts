import type { OutputChunk } from './recorded-output.ts'

/** The prompt of a shell, and a command that is typed after it, key by key. */
export function typedCommand(command: string): OutputChunk[] {
  const keys = [...command].map((text, index) => ({ atMs: thinkMs + index * keyMs, text }))
  const enteredMs = thinkMs + command.length * keyMs + enterMs
  return [{ atMs: 0, text: '\u001b[1;32m$\u001b[0m ' }, ...keys, { atMs: enteredMs, text: '\r\n' }]
}

const thinkMs = 600
const keyMs = 45
const enterMs = 300
