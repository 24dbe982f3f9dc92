import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { UserError } from '@headrace/queue'
import { takenOver } from '../errors.ts'
import type { Files } from './files.ts'
import {
  generationOf,
  isManifestName,
  type Manifest,
  type ManifestFile,
  manifestFolder,
  manifestName,
  partName,
  temporaryName,
} from './manifest.ts'

/** The files of a topic. */
export interface TopicFolder {
  /** The newest one of this run. */
  readonly manifest: Manifest
  /** For the next file. */
  readonly temporaryPath: string
  /**
   * Makes the file at `temporaryPath` valid, together with the cursor; without a file, the cursor only.
   *
   * @throws {UserError} `sink_taken_over`
   */
  commit(cursor: string, file?: Omit<ManifestFile, 'name'>): Promise<void>
}

export interface TopicFolderOptions {
  readonly files: Files
  readonly path: string
  readonly topic: string
  readonly sink: string
}

/** Of the manifests before the newest one, which slow readers may need. */
const keptManifests = 3

/**
 * The newest manifest of a folder; `undefined`: there is none.
 *
 * @throws {UserError} `destination_refused`: another sink writes the folder, or its files are not of a sink.
 */
export async function readManifest(options: TopicFolderOptions): Promise<Manifest | undefined> {
  const { files, path, topic, sink } = options
  const [newest] = await manifestNames(options)
  if (newest === undefined) {
    if ((await files.list(path)).some((name) => name.endsWith('.parquet'))) throw foreignFiles(path)
    return undefined
  }
  const manifest = parse(join(path, manifestFolder, newest), await files.read(join(path, manifestFolder, newest)))
  if (manifest.topic !== topic || manifest.sink !== sink) throw foreignManifest(path, manifest)
  return manifest
}

/**
 * Claims a folder: an earlier run that is still active cannot write any more. Removes what was not made valid.
 *
 * The manifest of a generation is created once: its name is linked, which fails if it exists. So a run that has created
 * one is the only one that makes the next, until another run does. Names of files contain the generation, so two runs
 * never write the same file.
 */
export async function claimFolder(
  options: TopicFolderOptions,
  before: Manifest | undefined,
  columns: Manifest['columns'],
): Promise<TopicFolder> {
  const { files, path, topic, sink } = options
  await files.createFolder(join(path, manifestFolder))
  await files.syncFolder(join(path, '..'))
  const empty = { format: 1, generation: 0, topic, sink, cursor: null, columns, files: [] } as const
  let manifest: Manifest = { ...(before ?? empty), columns }
  await write({})
  await removeInvalid()

  return {
    get manifest() {
      return manifest
    },
    get temporaryPath() {
      return join(path, temporaryName(manifest.generation + 1))
    },
    async commit(cursor, file) {
      if (!file) return void (await write({ cursor }))
      const generation = manifest.generation + 1
      const name = partName(generation)
      // After another run has removed what is invalid, nothing is added.
      if (!(await isNewest(manifest.generation))) throw takenOver(sink)
      await files.rename(join(path, temporaryName(generation)), join(path, name))
      let isListed = false
      try {
        await files.syncFolder(path)
        await write({ cursor, files: [...manifest.files, { name, ...file }] }, () => {
          isListed = true
        })
      } catch (error) {
        if (!isListed) await files.remove(join(path, name)).catch(() => {})
        throw error
      }
    },
  }

  async function write(change: Partial<Manifest>, onValid?: () => void): Promise<void> {
    const next = { ...manifest, ...change, generation: manifest.generation + 1 }
    const folder = join(path, manifestFolder)
    const temporary = join(folder, temporaryName(next.generation, randomUUID()))
    const file = await files.create(temporary)
    try {
      await file.write(Buffer.from(`${JSON.stringify(next)}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
    if (!(await files.link(temporary, join(folder, manifestName(next.generation))))) throw takenOver(sink)
    if (!(await isNewest(next.generation))) throw takenOver(sink)
    onValid?.()
    await files.syncFolder(folder)
    manifest = next
    await files.remove(temporary)
    for (const name of (await manifestNames(options)).slice(keptManifests)) await files.remove(join(folder, name))
  }

  async function isNewest(generation: number): Promise<boolean> {
    const [newest] = await manifestNames(options)
    return newest === manifestName(generation)
  }

  /** Those of a later generation may be of a run that has taken over. */
  async function removeInvalid(): Promise<void> {
    const valid = new Set(manifest.files.map(({ name }) => name))
    for (const folder of [path, join(path, manifestFolder)])
      for (const name of await files.list(folder)) {
        const generation = generationOf(name)
        if (generation === undefined || generation > manifest.generation || valid.has(name)) continue
        await files.remove(join(folder, name))
      }
  }
}

/** Newest first. */
async function manifestNames({ files, path }: Pick<TopicFolderOptions, 'files' | 'path'>): Promise<string[]> {
  return (await files.list(join(path, manifestFolder))).filter(isManifestName).reverse()
}

function parse(path: string, text: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest
    if (manifest.format === 1) return manifest
  } catch {
    // As one of another format.
  }
  throw new UserError(
    'destination_refused',
    `The manifest ${path} is damaged, or of another version of the sink. Restore it from a backup, or choose another folder.`,
  )
}

function foreignFiles(path: string): UserError {
  return new UserError(
    'destination_refused',
    `The folder ${path} has Parquet files that were not made by a sink. Choose another folder.`,
  )
}

function foreignManifest(path: string, { topic, sink }: Manifest): UserError {
  return new UserError(
    'destination_refused',
    `The folder ${path} is written by the sink "${sink}" with topic "${topic}". Choose another folder, or the name of ` +
      'that sink.',
  )
}
