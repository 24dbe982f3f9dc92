import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ProjectFile } from '../project/project-file.ts'

/** A clone of the repository whose packages a project takes instead of those of the registry. */
export interface Clone {
  readonly folder: string
  /** Each of its packages, packed. */
  readonly packages: readonly PackedPackage[]
}

export interface PackedPackage {
  readonly name: string
  readonly version: string
  /** The tarball. */
  readonly file: string
}

/** A package as a project has it. */
export interface LocalPackage {
  readonly name: string
  /** For package.json: `file:headrace-packages/…`. */
  readonly specifier: string
  readonly tarball: ProjectFile
}

/** The folder of a project that holds the packages. It belongs in Git. Go reserves the name `vendor`. */
export const packagesFolder = 'headrace-packages'

/** Reads the packages of a clone. The name of a file has a hash of its content: npm takes a file that it knows for unchanged. */
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
