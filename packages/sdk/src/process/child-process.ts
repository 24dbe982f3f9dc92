import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Logger } from 'pino'
import { settledWithin } from '../runtime/settled.ts'
import { type ChildEnd, childNotStarted } from './child-errors.ts'
import { encodeParentMessage, type ParentMessage } from './process-message.ts'

const stderrMs = 1000

/** Kept for error messages. Some languages write a trace or their version after the error. */
const newestLines = 30
const errorWord = /error|exception|panic|fatal/i

export interface Child extends ChildEnd {
  readonly stdout: Readable
  send(message: ParentMessage): void
  /** Reports that all units up to this one are committed. A child that reads slowly gets only the newest number. */
  sendCommitted(unit: number): void
  readonly ended: Promise<void>
  /**
   * Ends its process group and resolves after its exit. `stop` first sends Stop, `wait` waits. After `stopMs`, and at
   * once with `terminate`, SIGTERM follows, and after `terminateMs` SIGKILL. Only the first call counts.
   */
  end(way: 'stop' | 'wait' | 'terminate'): Promise<void>
}

export interface ChildOptions {
  readonly command: readonly string[]
  readonly dir: string
  readonly stopMs: number
  readonly terminateMs: number
  readonly log: Logger
}

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
  // A write fails after the child has closed its stdin; its exit is reported elsewhere.
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
    get errorLine() {
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

/** Kills the processes that the child has started when it ends, and the child when this process exits. */
async function watchEnd(child: SpawnedChild, log: Logger): Promise<string> {
  const kill = (): void => signalGroup(child, 'SIGKILL')
  process.once('exit', kill)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.off('exit', kill)
  kill()
  // The last output may arrive after the exit event.
  await settledWithin(finished(child.stderr), stderrMs)
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
  way: 'stop' | 'wait' | 'terminate',
  { stopMs, terminateMs, log }: ChildOptions,
): Promise<void> {
  if (way === 'stop') child.stdin.write(encodeParentMessage({ kind: 'stop' }))
  if (way !== 'terminate' && (await settledWithin(ended, stopMs))) return
  if (way !== 'terminate') log.warn({ pid: child.pid, stopMs }, 'child has not ended: SIGTERM')
  signalGroup(child, 'SIGTERM')
  if (await settledWithin(ended, terminateMs)) return
  log.warn({ pid: child.pid, terminateMs }, 'child has not ended: SIGKILL')
  signalGroup(child, 'SIGKILL')
  await ended
}

function signalGroup({ pid }: SpawnedChild, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ESRCH' && code !== 'EPERM') throw error
  }
}

const lineLimit = 16 * 1024

export function createLineSplitter(onLine: (line: string) => void): { add(text: string): void; end(): void } {
  let remainder = ''
  const emit = (line: string): void => {
    if (line.trim() !== '') onLine(line)
  }
  return {
    add(text) {
      const lines = (remainder + text).split(/\r?\n/)
      remainder = lines.pop()!
      for (const line of lines) emit(line)
      for (; remainder.length > lineLimit; remainder = remainder.slice(lineLimit)) emit(remainder.slice(0, lineLimit))
    },
    end() {
      emit(remainder)
      remainder = ''
    },
  }
}
