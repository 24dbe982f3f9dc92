import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'

/** Resolves once a proxy passes requests on to a gateway. Throws if it ends, with what it has printed. */
export async function untilServing(proxy: ChildProcess, url: string, printed = () => ''): Promise<void> {
  while ((await fetch(`${url}/health/live`).catch(() => undefined))?.status !== 200) {
    if (proxy.exitCode !== null) throw new Error(`${proxy.spawnfile} ended with ${proxy.exitCode}. ${printed()}`)
    await setTimeout(20)
  }
}
