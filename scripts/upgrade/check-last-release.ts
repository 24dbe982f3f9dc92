import { join } from 'node:path'
import type { Tarball } from '../../packages/testbed/registry/tarballs.ts'
import type { CheckResult } from '../release/check-table.ts'
import { checkUpgrade } from './check-upgrade.ts'
import { installReleased, installVersion, lastReleased } from './version.ts'

/** From the last released version to the packed one. Before the first release, the packed one is run as both. */
export async function checkLastRelease(tarballs: readonly Tarball[], folder: string): Promise<CheckResult[]> {
  const files = tarballs.map(({ file }) => file)
  const { version } = tarballs[0]!
  const released = await lastReleased()
  if (released === undefined) console.error('No version has been released: the packed one is run as both.')
  const from =
    released === undefined
      ? await installVersion(version, files, join(folder, 'from'))
      : await installReleased(released, join(folder, 'from'))
  const to = await installVersion(version, files, join(folder, 'to'))
  return checkUpgrade(from, to, folder)
}
