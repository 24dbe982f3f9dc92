import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  type Clone,
  packagesFolder,
  readLocalPackages,
  useLocalPackages,
  usesLocalPackages,
} from './local-packages/local-package.ts'
import { writeFiles } from './project/project-file.ts'
import type { ScaffoldContext, ScaffoldOptions } from './scaffold-context.ts'
import { setUp } from './set-up/run-steps.ts'

export async function refresh(
  dir: string,
  clone: Clone,
  options: ScaffoldOptions,
  context: ScaffoldContext,
): Promise<void> {
  const signal = context.shutdownSignal()
  const changed = await refreshPackages(dir, clone)
  const done = changed
    ? `${dir} now has the packages of this clone. Only package.json and headrace-packages were changed.`
    : `${dir} already has the packages of this clone.`
  if (!options.json) context.note(done)
  const project = { dir, name: basename(dir), packageManager: 'npm' } as const
  await setUp({ template, project, facts: { changed }, closing: [], signal }, options, context)
}

const template = {
  steps: [
    { name: 'install', run: ['{npm}', 'install'] },
    { name: 'codegen', run: ['{npm}', 'run', 'codegen'] },
  ],
  next: ['cd {dir}', '{npm} test', '{npm} run dev'],
}

export async function isProjectOfClone(dir: string): Promise<boolean> {
  try {
    return usesLocalPackages(await readFile(join(dir, 'package.json'), 'utf8'))
  } catch {
    return false
  }
}

/** Returns whether they differ from the earlier ones. */
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
