import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const own = fileURLToPath(new URL('.', import.meta.url))

export interface ChainCopy {
  readonly dir: string
  /** Replaces texts of the original manifest. */
  rewrite(change: (manifest: string) => string): Promise<void>
  remove(): Promise<void>
}

/** A copy of this project, whose manifest may differ. */
export async function copyChain(): Promise<ChainCopy> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-chain-'))
  await cp(own, dir, { recursive: true })
  const manifest = await readFile(join(own, 'manifest.yaml'), 'utf8')
  return {
    dir,
    rewrite: (change) => writeFile(join(dir, 'manifest.yaml'), change(manifest)),
    remove: () => rm(dir, { recursive: true }),
  }
}
