import { relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Logging } from '../logging/logger.ts'

export function relayLines(stream: Readable, { dir, name, logging, note }: RelayOptions): void {
  createInterface({ input: stream }).on('line', (line) => {
    const logged = readLogLine(line)
    if (logged) logging.relay(JSON.stringify(withPlace(logged, dir)))
    else if (note) note(line)
    else logging.log.info({ line }, name)
  })
}

export interface RelayOptions {
  readonly dir: string
  readonly name: string
  readonly logging: Logging
  /** `undefined`: the log has JSON lines. */
  readonly note: ((line: string) => void) | undefined
}

interface LogLine {
  readonly level: number
  readonly msg: string
  readonly err?: { readonly stack?: string }
}

function readLogLine(line: string): LogLine | undefined {
  if (!line.startsWith('{"level":')) return undefined
  try {
    const parsed = JSON.parse(line) as LogLine
    return typeof parsed.msg === 'string' ? parsed : undefined
  } catch {
    return undefined
  }
}

function withPlace(line: LogLine, dir: string): object {
  const at = line.err && placeInProject(line.err.stack, dir)
  return at === undefined ? line : { ...line, at }
}

/** The first place of a stack in a connector's own code, as `src/connector.ts:12:5`. */
export function placeInProject(stack: string | undefined, dir: string): string | undefined {
  for (const [, location, place] of stack?.matchAll(/(file:\/\/[^\s)]+|\/[^\s():]+):(\d+:\d+)\)?$/gm) ?? []) {
    const path = relative(dir, location!.startsWith('file:') ? fileURLToPath(location!) : location!)
    const isOwn = !path.startsWith('..') && !path.split(sep).includes('node_modules')
    if (isOwn) return `${path}:${place}`
  }
  return undefined
}
