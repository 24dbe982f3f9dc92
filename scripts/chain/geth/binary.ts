import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../../kafka/environment.ts'

/** The newest release whose dependencies the Go module proxy hands out. */
const version = 'v1.16.9'

/** The path of geth, built the first time and then kept in the cache; or why it cannot be had. */
export async function gethBinary(): Promise<{ readonly path: string } | { readonly unavailable: string }> {
  const folder = join(environment.cacheFolder, `geth-${version}`)
  try {
    if (!existsSync(folder)) await build(folder)
    return { path: join(folder, 'geth') }
  } catch (error) {
    return { unavailable: `no Go that builds it: ${(error as Error).message.split('\n')[0]}` }
  }
}

/** Builds it beside its place and renames, so that what is there is always complete. */
async function build(folder: string): Promise<void> {
  await mkdir(environment.cacheFolder, { recursive: true })
  const work = await mkdtemp(join(environment.cacheFolder, 'geth-'))
  try {
    await execa('go', ['install', `github.com/ethereum/go-ethereum/cmd/geth@${version}`], { env: { GOBIN: work } })
    await rename(work, folder).catch((error: unknown) => {
      // Another process was quicker.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
