import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProjectFile, writeFiles } from '../project/write-project.ts'

/** A clone of the repository whose packages a project uses instead of those of the registry. */
export interface Clone {
  readonly folder: string
  readonly packages: readonly { readonly name: string; readonly version: string; readonly file: string }[]
}

export interface LocalPackage {
  readonly name: string
  readonly specifier: string
  readonly tarball: ProjectFile
}

/** Committed to Git with the project. Go reserves the name `vendor`. */
const packagesFolder = 'headrace-packages'

/** npm does not reinstall a file with a known name, hence the hash. */
export function readLocalPackages({ packages }: Clone): Promise<LocalPackage[]> {
  return Promise.all(
    packages.map(async ({ name, version, file }) => {
      const content = await readFile(file)
      const hash = createHash('sha256').update(content).digest('hex').slice(0, 8)
      const path = `${packagesFolder}/${name.replace('@', '').replace('/', '-')}-${version}-${hash}.tgz`
      return { name, specifier: `file:${path}`, tarball: { path, content } }
    }),
  )
}

interface PackageJson {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  overrides?: Record<string, unknown>
}

export function useLocalPackages(text: string, packages: readonly LocalPackage[]): string {
  const manifest = JSON.parse(text) as PackageJson
  const overrides = new Map(packages.map(({ name, specifier }) => [name, specifier]))
  for (const dependencies of [manifest.dependencies, manifest.devDependencies])
    for (const { name, specifier } of packages) {
      if (dependencies?.[name] === undefined) continue
      dependencies[name] = specifier
      // npm refuses an override that differs from the direct dependency.
      overrides.delete(name)
    }
  const others = Object.entries(manifest.overrides ?? {}).filter(([, specifier]) => !isLocal(specifier))
  manifest.overrides = { ...Object.fromEntries(others), ...Object.fromEntries(overrides) }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
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

export function usesLocalPackages(text: string): boolean {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as PackageJson
  return [...Object.values(dependencies), ...Object.values(devDependencies)].some(isLocal)
}

function isLocal(specifier: unknown): boolean {
  return typeof specifier === 'string' && specifier.startsWith(`file:${packagesFolder}/`)
}
