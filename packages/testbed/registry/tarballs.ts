import { globSync, readFileSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { environment } from '../environment.ts'

/** A package of this repository, packed as it is published. */
export interface Tarball {
  readonly name: string
  readonly version: string
  /** The package's folder in the repository. */
  readonly source: string
  readonly file: string
}

/** Packs every published package. They must have been built. */
export async function packPackages(folder: string): Promise<Tarball[]> {
  await mkdir(folder, { recursive: true })
  const packages = publishedPackages()
  const workspaces = packages.flatMap(({ source }) => ['--workspace', source])
  await execa('npm', ['pack', ...workspaces, '--pack-destination', folder, '--loglevel=error'], {
    cwd: root,
    env: environment.outside,
    extendEnv: false,
  })
  const files = await readdir(folder)
  return packages.map((published) => {
    const file = `${published.name.replace('@', '').replace('/', '-')}-${published.version}.tgz`
    if (!files.includes(file)) throw new Error(`npm packed no ${file}; there are ${files.join(', ')}.`)
    return { ...published, file: join(folder, file) }
  })
}

function publishedPackages(): Omit<Tarball, 'file'>[] {
  const manifests = globSync('packages/*/package.json', { cwd: root }).sort()
  return manifests.flatMap((file) => {
    const { name, version, private: isPrivate } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    return isPrivate ? [] : [{ name, version, source: dirname(file) }]
  })
}

const root = join(import.meta.dirname, '../../..')
