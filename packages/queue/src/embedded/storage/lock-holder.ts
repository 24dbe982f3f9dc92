import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { QueueUnavailableError } from '../../errors.ts'

/** Names the process on Linux. */
export function lockedError(file: string, options?: ErrorOptions): QueueUnavailableError {
  return new QueueUnavailableError(explain(file), options)
}

function explain(file: string): string {
  try {
    const pid = holderOf(file)
    if (pid === undefined) return unnamed(file)
    const { command, isStopped } = processOf(pid)
    const message = `Another process keeps ${file} locked: process ${pid} (${command}).`
    return isStopped ? `${message} It is stopped: continue it (kill -CONT ${pid}), or end it.` : message
  } catch {
    return unnamed(file)
  }
}

function unnamed(file: string): string {
  return `Another process keeps ${file} locked.`
}

/** In the shared-memory file (https://sqlite.org/walformat.html, 2.3.1). */
const writeLockByte = 120

/** `1: POSIX ADVISORY WRITE <pid> <device>:<inode> <first byte> <last byte>` (proc_locks(5)). */
function holderOf(file: string): number | undefined {
  const { ino } = statSync(`${file}-shm`)
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, kind, , mode, pid, inode, first] = line.split(/\s+/)
    if (kind !== 'POSIX' || mode !== 'WRITE' || Number(first) !== writeLockByte) continue
    // A process in another container has no id here.
    if (inode!.endsWith(`:${ino}`) && Number(pid) > 0) return Number(pid)
  }
  return undefined
}

/** Without arguments that may be secrets (proc_pid(5)). */
function processOf(pid: number): { readonly command: string; readonly isStopped: boolean } {
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const command = args.slice(0, 2).map((arg) => basename(arg))
  const state = /\) (\S)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]
  return { command: command.join(' ').trim(), isStopped: state === 'T' }
}
