import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { QueueUnavailableError } from '../../errors.ts'

/** Names the process on Linux. */
export function lockedError(file: string, options?: ErrorOptions): QueueUnavailableError {
  return new QueueUnavailableError(`Another process keeps ${file} locked${describeHolder(file)}.`, options)
}

/** Returns an empty text if the process is not known. */
function describeHolder(file: string): string {
  try {
    const pid = holderOf(file)
    if (pid === undefined) return ''
    const state = /\) (\S)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]
    const remedy = state === 'T' ? `. It is stopped: continue it (kill -CONT ${pid}), or end it` : ''
    return `: process ${pid} (${commandOf(pid)})${remedy}`
  } catch {
    return ''
  }
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
function commandOf(pid: number): string {
  const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 2)
  const names = args.map((arg) => basename(arg))
  return names.join(' ').trim()
}
