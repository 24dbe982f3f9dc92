import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFiles } from '../project/write-files.ts'
import { type Clone, packagesFolder, readLocalPackages } from './local-package.ts'
import { useLocalPackages, usesLocalPackages } from './package-json.ts'

/** Whether a folder holds a project that takes its packages from a clone. */
export async function isProjectOfClone(dir: string): Promise<boolean> {
  try {
    return usesLocalPackages(await readFile(join(dir, 'package.json'), 'utf8'))
  } catch {
    return false
  }
}

/**
 * Gives a project the packages that the clone has now. Nothing but its package.json and the folder of packages changes.
 *
 * @returns whether they are others than before.
 */
export async function refreshPackages(dir: string, clone: Clone): Promise<boolean> {
  const packages = await readLocalPackages(clone)
  const manifest = join(dir, 'package.json')
  const before = await readFile(manifest, 'utf8')
  const after = useLocalPackages(before, packages)
  const tarballs = packages.map(({ tarball }) => tarball)
  await writeFiles(dir, tarballs)
  if (after !== before) {
    await writeFile(`${manifest}.new`, after)
    await rename(`${manifest}.new`, manifest)
  }
  await removeOthers(join(dir, packagesFolder), new Set(tarballs.map(({ path }) => path)))
  return after !== before
}

async function removeOthers(folder: string, kept: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder))
    if (name.endsWith('.tgz') && !kept.has(`${packagesFolder}/${name}`)) await rm(join(folder, name))
}
