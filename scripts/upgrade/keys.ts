import { setTimeout as pause } from 'node:timers/promises'
import { type RunningGateway, runCommand } from './command.ts'
import { request } from './reading.ts'
import type { Version } from './version.ts'

export interface KeysOptions {
  readonly gateways: readonly RunningGateway[]
  /** Made by both versions. */
  readonly keys: readonly string[]
  readonly topic: string
  readonly versions: readonly [Version, Version]
  readonly queue: string
}

const patienceMs = 60_000

/** A key may be used at any gateway. What one version changes, the other one follows. */
export async function checkKeys({ gateways, keys, topic, versions, queue }: KeysOptions): Promise<void> {
  for (const gateway of gateways)
    for (const key of keys) {
      const { status } = await request(gateway, key, topic)
      if (status !== 200) throw new Error(`The gateway of ${gateway.version.name} answers ${status} to a key.`)
    }
  for (const version of versions) {
    const other = versions.find((one) => one !== version)!
    const json = await runCommand(version, 'keys', 'create', '--name', 'both', '--json', '--queue', queue)
    const { id, key } = JSON.parse(json) as { id: string; key: string }
    await runCommand(other, 'keys', 'rotate', id, '--grace', '1h', '--queue', queue)
    await runCommand(version, 'keys', 'revoke', id, '--queue', queue)
    await runCommand(other, 'keys', 'list', '--all', '--queue', queue)
    for (const gateway of gateways) await untilRefused(gateway, key, topic)
  }
}

async function untilRefused(gateway: RunningGateway, key: string, topic: string): Promise<void> {
  const deadline = performance.now() + patienceMs
  while ((await request(gateway, key, topic)).status !== 401) {
    if (performance.now() > deadline)
      throw new Error(`The gateway of ${gateway.version.name} accepts a key that was revoked.`)
    await pause(50)
  }
}
