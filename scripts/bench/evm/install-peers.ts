import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { cachedFolder } from '../../../packages/testbed/cached-folder.ts'
import { environment } from '../../../packages/testbed/environment.ts'

/** Ponder with its peer dependencies. */
const dependencies = { ponder: '0.16.10', viem: '2.57.20', hono: '4.13.19', typescript: '5.9.3' }

/** The folder of the cache with Ponder and viem. The first time, they are installed from npm: 230 MB. */
export function installPeers(signal: AbortSignal): Promise<string> {
  return cachedFolder(`ponder-${dependencies.ponder}-viem-${dependencies.viem}`, async (folder) => {
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }))
    const flags = ['--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
    await execa('npm', ['install', ...flags], {
      cwd: folder,
      env: environment.outside,
      extendEnv: false,
      cancelSignal: signal,
    })
  })
}
