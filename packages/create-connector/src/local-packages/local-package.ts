import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ProjectFile } from '../project/project-file.ts'

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
export const packagesFolder = 'headrace-packages'

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
  const specifiers = new Map(packages.map(({ name, specifier }) => [name, specifier]))
  const direct = new Set<string>()
  for (const dependencies of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(dependencies ?? {})) {
      const specifier = specifiers.get(name)
      if (specifier === undefined) continue
      dependencies![name] = specifier
      direct.add(name)
    }
  // npm refuses an override that differs from the direct dependency.
  const indirect = [...specifiers].filter(([name]) => !direct.has(name))
  const others = Object.entries(manifest.overrides ?? {}).filter(([, specifier]) => !isLocal(specifier))
  manifest.overrides = { ...Object.fromEntries(others), ...Object.fromEntries(indirect) }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

export function usesLocalPackages(text: string): boolean {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as PackageJson
  return [...Object.values(dependencies), ...Object.values(devDependencies)].some(isLocal)
}

function isLocal(specifier: unknown): boolean {
  return typeof specifier === 'string' && specifier.startsWith(`file:${packagesFolder}/`)
}
