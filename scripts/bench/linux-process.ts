import { readFile } from 'node:fs/promises'

/** CPU time of a process, user and system, in ms, from Linux. */
export async function cpuOf(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * msPerTick
}

/** `USER_HZ` of Linux is 100. */
const msPerTick = 10

/** Process ids of the children of a process, from Linux. */
export async function childrenOf(pid: number): Promise<number[]> {
  return (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
}

/**
 * Memory of a process in bytes, from Linux: `VmHWM` is the highest resident memory so far, `VmRSS` the current one.
 * Returns 0 for a process that has ended.
 */
export async function memoryOf(pid: number, which: 'VmHWM' | 'VmRSS'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * 1024
}
