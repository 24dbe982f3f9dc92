import * as nodeFiles from 'node:fs/promises'
import { RetryableError, UserError } from '@headrace/queue'

/** What the destination does with the file system. Every method throws `destination_unavailable` or `destination_refused`. */
export interface Files {
  /** Creates it, and its parents. */
  createFolder(path: string): Promise<void>
  /** Names, sorted. Empty if there is no folder. */
  list(path: string): Promise<string[]>
  read(path: string): Promise<string>
  /** Creates a file, or replaces it. */
  create(path: string): Promise<WrittenFile>
  rename(from: string, to: string): Promise<void>
  /** Whether it did: not if `to` exists. */
  link(from: string, to: string): Promise<boolean>
  /** It may be missing. */
  remove(path: string): Promise<void>
  /** Makes names in a folder durable. */
  syncFolder(path: string): Promise<void>
}

export interface WrittenFile {
  write(bytes: Uint8Array): Promise<void>
  sync(): Promise<void>
  close(): Promise<void>
}

/** Of `node:fs/promises`, so that a test can let one call fail. */
export type FileSystem = Pick<
  typeof nodeFiles,
  'link' | 'mkdir' | 'open' | 'readdir' | 'readFile' | 'rename' | 'unlink'
>

export function createFiles(fs: FileSystem = nodeFiles): Files {
  return {
    createFolder: (path) => convert(path, async () => void (await fs.mkdir(path, { recursive: true }))),
    list: (path) => convert(path, () => ifThere(async () => (await fs.readdir(path)).toSorted(), [])),
    read: (path) => convert(path, () => fs.readFile(path, 'utf8')),
    create: (path) =>
      convert(path, async () => {
        const handle = await fs.open(path, 'w')
        return {
          write: (bytes) => convert(path, () => handle.writeFile(bytes)),
          sync: () => convert(path, () => handle.sync()),
          close: () => convert(path, () => handle.close()),
        }
      }),
    rename: (from, to) => convert(to, () => fs.rename(from, to)),
    link: (from, to) =>
      convert(to, async () => {
        try {
          await fs.link(from, to)
          return true
        } catch (error) {
          if (codeOf(error) === 'EEXIST') return false
          throw error
        }
      }),
    remove: (path) => convert(path, () => ifThere(() => fs.unlink(path), undefined)),
    syncFolder: (path) =>
      convert(path, async () => {
        const handle = await fs.open(path, 'r')
        try {
          await handle.sync()
        } finally {
          await handle.close()
        }
      }),
  }
}

async function ifThere<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise
    throw error
  }
}

async function convert<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw fileError(path, error as NodeJS.ErrnoException)
  }
}

/** Only the user can change these. */
const refusals: ReadonlySet<string> = new Set([
  'EACCES',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENAMETOOLONG',
  'ENOTDIR',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EPERM',
  'EROFS',
])

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: ' The disk is full. Nothing was lost: free some space, and the sink continues.',
  EDQUOT: ' The quota of the disk is used up. Nothing was lost: free some space, and the sink continues.',
  ENOTSUP: ' The file system needs hard links.',
  EPERM: ' The user needs the right to write, and the file system hard links.',
  EROFS: ' The file system is read-only.',
}

function fileError(path: string, error: NodeJS.ErrnoException): Error {
  const code = codeOf(error) ?? ''
  const message = `The file or folder ${path} cannot be used: ${error.message}.${remedies[code] ?? ''}`
  if (refusals.has(code)) return new UserError('destination_refused', message, { cause: error })
  return new RetryableError('destination_unavailable', message, { cause: error })
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
