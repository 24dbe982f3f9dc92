import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const exampleEvm = fileURLToPath(new URL('../../../examples/evm', import.meta.url))

/** A copy of the example in a folder without installed packages. */
export async function copyExample(): Promise<{ readonly dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'headrace-example-'))
  await cp(exampleEvm, dir, { recursive: true, filter: (source) => !source.includes('node_modules') })
  return { dir, remove: () => rm(dir, { recursive: true }) }
}
