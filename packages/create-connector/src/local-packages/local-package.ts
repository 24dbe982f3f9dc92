import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { ProjectFile } from '../project/project-file.ts'

/** A clone of the repository whose packages a project uses instead of those of the registry. */
export interface Clone {
  readonly folder: string
  readonly packages: readonly PackedPackage[]
}

export interface PackedPackage {
  readonly name: string
  readonly version: string
  readonly file: string
}

export interface LocalPackage {
  readonly name: string
  /** `file:headrace-packages/…` */
  readonly specifier: string
  readonly tarball: ProjectFile
}

/** Committed to Git with the project. Go reserves the name `vendor`. */
export const packagesFolder = 'headrace-packages'

/** File names contain a hash, because npm does not reinstall a file with a known name. */
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
