import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Logging } from '../logging/logger.ts'
import { placeInProject } from './place-in-project.ts'

/**
 * Hands on what a run writes to standard error, and what a connector writes to standard output, line by line: log lines
 * as lines of this process's log, and anything else as it is, where that is read by people.
 */
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
  /** What it is called in a log, e.g. `connector stdout`. */
  readonly name: string
  readonly logging: Logging
  /** Where people read; `undefined`: a log of JSON lines. */
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

/** An error of the connector's own code is told with its place in it. */
function withPlace(line: LogLine, dir: string): object {
  const at = line.err && placeInProject(line.err.stack, dir)
  return at === undefined ? line : { ...line, at }
}
