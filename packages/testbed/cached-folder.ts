import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { environment } from './environment.ts'

/** Returns a folder of the cache. If it does not exist, `fill` fills a temporary folder, which is then renamed. */
export async function cachedFolder(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(environment.cacheFolder, name)
  if (existsSync(folder)) return folder
  await mkdir(environment.cacheFolder, { recursive: true })
  const work = await mkdtemp(join(environment.cacheFolder, 'new-'))
  try {
    await fill(work)
    await rename(work, folder).catch((error: unknown) => {
      // Another process may have filled it first.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}
