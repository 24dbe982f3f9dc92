import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { QueueUnavailableError } from '../../errors.ts'

/** Another process has kept the write lock for too long. Names it where the operating system says which: on Linux. */
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

/** The byte of the file that readers share whose lock is the write lock (https://sqlite.org/walformat.html, 2.3.1). */
const writeLockByte = 120

/** A line is `1: POSIX ADVISORY WRITE <pid> <device>:<inode> <first byte> <last byte>` (proc_locks(5)). */
function holderOf(file: string): number | undefined {
  const { ino } = statSync(`${file}-shm`)
  for (const line of readFileSync('/proc/locks', 'utf8').split('\n')) {
    const [, kind, , mode, pid, place, first] = line.split(/\s+/)
    if (kind !== 'POSIX' || mode !== 'WRITE' || Number(first) !== writeLockByte) continue
    // The process may be in a container that this one does not see: then it has no number here.
    if (place!.endsWith(`:${ino}`) && Number(pid) > 0) return Number(pid)
  }
  return undefined
}

/** Of its arguments only the program, and the script of an interpreter: a secret may be among the others (proc_pid(5)). */
function processOf(pid: number): { readonly command: string; readonly isStopped: boolean } {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const command = words.slice(0, 2).map((word) => basename(word))
  const state = /\) (\S)[^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]
  return { command: command.join(' ').trim(), isStopped: state === 'T' }
}
