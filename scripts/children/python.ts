import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../kafka/environment.ts'

/** A folder of programs, for the front of PATH; or why there is none. */
export type PreparedPython = { readonly folder: string } | { readonly unavailable: string }

/** Versions of the packages that Python children, producers and readers need. */
const defaultPackages = ['protobuf==7.36.2', 'confluent-kafka==2.16.1', 'websockets==17.4']

/**
 * A folder of programs in which `python3` has the packages that tests need, and what they bring along: made the first time
 * and then kept in the cache.
 */
export async function preparePython(packages: readonly string[] = defaultPackages): Promise<PreparedPython> {
  const home = join(environment.cacheFolder, `python-${packages.join('-').replaceAll('==', '-')}`)
  try {
    if (!existsSync(home)) await makeVirtualEnvironment(home, packages)
    return { folder: join(home, 'bin') }
  } catch (error) {
    return { unavailable: `no Python 3 with ${packages.join(' and ')}: ${(error as Error).message.split('\n')[0]}` }
  }
}

/** Makes it beside its place and renames, so that what is there is always complete. */
async function makeVirtualEnvironment(home: string, packages: readonly string[]): Promise<void> {
  await mkdir(environment.cacheFolder, { recursive: true })
  const work = await mkdtemp(join(environment.cacheFolder, 'python-'))
  try {
    await execa('python3', ['-m', 'venv', work])
    await execa(join(work, 'bin/python3'), ['-m', 'pip', 'install', '--quiet', ...packages])
    await rename(work, home).catch((error: unknown) => {
      // Another process was quicker.
      if (!existsSync(home)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
