import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { UserError } from '@headrace/queue'
import type { ContentCoding } from '../representation/content-coding.ts'
import { digestOf } from '../representation/entity-tag.ts'

/** A built web page. Requests never reach the file system. */
export interface Page {
  readonly index: PageFile
  /** By file name. */
  readonly assets: ReadonlyMap<string, PageFile>
}

export interface PageFile {
  readonly mediaType: string
  /** The same for all codings. */
  readonly digest: string
  readonly body: Buffer
  readonly encoded: ReadonlyMap<ContentCoding, Buffer>
}

/** In order of preference: the smaller form first. */
const suffixes: readonly (readonly [ContentCoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** A browser keeps an asset for a year, so its name must change with its content. */
const assetName = /^[\w.-]+-[\w-]{8}\.\w+$/

/**
 * Reads the page, and the compressed forms that are next to its files.
 *
 * @throws {UserError} `invalid_gateway_options`
 */
export async function loadPage(folder: string): Promise<Page> {
  const assetsFolder = join(folder, 'assets')
  const [index, names] = await Promise.all([loadFile(join(folder, 'index.html')), readdir(assetsFolder)]).catch(
    (cause: NodeJS.ErrnoException) => {
      throw invalid(
        `explorer is ${JSON.stringify(folder)}, which cannot be read as a built page (${cause.code}: ${cause.path}). ` +
          'It must have index.html and the folder assets.',
        cause,
      )
    },
  )
  const assets = names.filter((name) => !suffixes.some(([, suffix]) => name.endsWith(suffix)))
  for (const name of assets) checkAsset(name, assetsFolder)
  const files = await Promise.all(assets.map(async (name) => [name, await loadFile(join(assetsFolder, name))] as const))
  return { index, assets: new Map(files) }
}

function checkAsset(name: string, folder: string): void {
  if (!assetName.test(name))
    throw invalid(
      `${join(folder, name)} has no hash in its name. Assets must be named NAME-HASH.EXT, with a hash of 8 characters.`,
    )
  if (!Object.hasOwn(mediaTypes, extname(name)))
    throw invalid(
      `${join(folder, name)} is of no type that is served. There are: ${Object.keys(mediaTypes).join(', ')}.`,
    )
}

async function loadFile(path: string): Promise<PageFile> {
  const body = await readFile(path)
  const encoded = await Promise.all(
    suffixes.map(async ([coding, suffix]) => [coding, await readIfPresent(path + suffix)] as const),
  )
  return {
    mediaType: mediaTypes[extname(path)]!,
    digest: digestOf(body),
    body,
    encoded: new Map(encoded.filter((entry): entry is [ContentCoding, Buffer<ArrayBuffer>] => entry[1] !== undefined)),
  }
}

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}

function invalid(message: string, cause?: unknown): UserError {
  return new UserError('invalid_gateway_options', message, cause === undefined ? undefined : { cause })
}
