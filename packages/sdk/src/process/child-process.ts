import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Logger } from 'pino'
import { settledWithin } from '../runtime/settled-within.ts'
import { childNotStarted } from './child-errors.ts'
import { encodeParentMessage } from './encode-parent-message.ts'
import { createLineSplitter } from './line-splitter.ts'
import type { ParentMessage } from './process-message.ts'

/** How long the rest of what a child wrote to stderr is waited for when it has ended, in ms. */
const lastWordsMs = 1000

/** Of a crash: some languages write a trace or their version behind the error. */
const newestLines = 30
const errorWord = /error|exception|panic|fatal/i

/** A running child. */
export interface Child {
  readonly stdout: Readable
  send(message: ParentMessage): void
  /** Says up to which unit everything is committed. A child that reads slowly is told the newest only. */
  sendCommitted(unit: number): void
  /** The last of its newest lines on stderr that names an error, else the last line. */
  readonly lastWords: string | undefined
  /** Once it has ended, e.g. `ended with exit code 1`. */
  readonly howEnded: string | undefined
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
  /**
   * Brings it to its end and resolves when it has ended. `stop` asks it first, `leave` lets it end by itself; after
   * `stopMs` of that, and at once with `terminate`, SIGTERM, and `terminateMs` later SIGKILL, to its whole process group.
   * The first call decides.
   */
  end(way: 'stop' | 'leave' | 'terminate'): Promise<void>
}

export interface ChildOptions {
  readonly command: readonly string[]
  /** Where it runs. */
  readonly dir: string
  readonly stopMs: number
  readonly terminateMs: number
  readonly log: Logger
}

/**
 * Starts a child in a process group of its own. Its stderr goes to the log, line by line.
 *
 * @throws {UserError} `child_not_started`
 */
export async function startChild(options: ChildOptions): Promise<Child> {
  const { command, dir, log } = options
  const [program, ...args] = command
  const child = spawn(program!, args, { cwd: dir, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  try {
    await once(child, 'spawn')
  } catch (error) {
    throw childNotStarted(command, dir, error)
  }
  log.info({ pid: child.pid }, 'child started')
  // A child that no longer reads is one that ends, which is told elsewhere.
  child.stdin.on('error', () => {})
  const newest: string[] = []
  const lines = createLineSplitter((line) => {
    if (newest.push(line) > newestLines) newest.shift()
    log.info({ line }, 'child stderr')
  })
  child.stderr.setEncoding('utf8').on('data', lines.add).on('end', lines.end)
  let howEnded: string | undefined
  const ended = watchEnd(child, log).then((how) => {
    howEnded = how
  })
  let ending: Promise<void> | undefined

  return {
    stdout: child.stdout,
    send: (message) => child.stdin.write(encodeParentMessage(message)),
    sendCommitted: createCommittedSender(child.stdin),
    get lastWords() {
      return newest.findLast((line) => errorWord.test(line)) ?? newest.at(-1)
    },
    get howEnded() {
      return howEnded
    },
    ended,
    end: (way) => (ending ??= endChild(child, ended, way, options)),
  }
}

type SpawnedChild = ChildProcessByStdio<Writable, Readable, Readable>

/** What the child has started goes with it, and it goes with this process. */
async function watchEnd(child: SpawnedChild, log: Logger): Promise<string> {
  const kill = (): void => signalGroup(child, 'SIGKILL')
  process.once('exit', kill)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('exit', kill)
  kill()
  // What it wrote last may come after the news of its end.
  await settledWithin(finished(child.stderr), lastWordsMs)
  log.info({ pid: child.pid, code, signal }, 'child ended')
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`
}

function createCommittedSender(stdin: Writable): (unit: number) => void {
  let newest = 0
  let sent = 0
  let full = false
  const send = (): void => {
    if (full || newest === sent) return
    sent = newest
    full = !stdin.write(encodeParentMessage({ kind: 'committed', unit: sent }))
    if (full)
      stdin.once('drain', () => {
        full = false
        send()
      })
  }
  return (unit) => {
    newest = unit
    send()
  }
}

async function endChild(
  child: SpawnedChild,
  ended: Promise<unknown>,
  way: 'stop' | 'leave' | 'terminate',
  { stopMs, terminateMs, log }: ChildOptions,
): Promise<void> {
  if (way === 'stop') child.stdin.write(encodeParentMessage({ kind: 'stop' }))
  if (way !== 'terminate' && (await settledWithin(ended, stopMs))) return
  if (way !== 'terminate') log.warn({ pid: child.pid, stopMs }, 'child does not end: SIGTERM')
  signalGroup(child, 'SIGTERM')
  if (await settledWithin(ended, terminateMs)) return
  log.warn({ pid: child.pid, terminateMs }, 'child does not end: SIGKILL')
  signalGroup(child, 'SIGKILL')
  await ended
}

function signalGroup({ pid }: SpawnedChild, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch (error) {
    // The group is empty; macOS says EPERM while the last of it is being reaped.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}
