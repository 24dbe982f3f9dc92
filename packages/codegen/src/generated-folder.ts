import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { UserError } from '@headrace/queue'
import { type GeneratedFile, generatedMark } from './generated-file.ts'

export interface FolderChange {
  /** Relative to the folder, with `/`. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
  /** Absent where the file is removed. */
  readonly content?: string
}

/** Leaves out unchanged files, and files that were not generated. Throws `generated_files_failed`. */
export async function compareFolder(folder: string, files: readonly GeneratedFile[]): Promise<FolderChange[]> {
  const found = await readFolder(folder)
  const changes: FolderChange[] = []
  for (const { path, content } of files) {
    const existing = found.get(path)
    if (existing !== content) changes.push({ path, content, change: existing === undefined ? 'added' : 'changed' })
  }
  const wanted = new Set(files.map(({ path }) => path))
  for (const [path, content] of found)
    if (!wanted.has(path) && content.startsWith(generatedMark)) changes.push({ path, change: 'removed' })
  return changes
}

/** Throws `generated_files_failed`. The changes before the failed one were made. */
export async function applyChanges(folder: string, changes: readonly FolderChange[]): Promise<void> {
  for (const { path, content } of changes) {
    const file = join(folder, path)
    await applyChange(file, content).catch((error: Error) => {
      throw failed(`${file} cannot be written`, error)
    })
  }
}

async function applyChange(file: string, content: string | undefined): Promise<void> {
  if (content === undefined) return rm(file)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}

async function readFolder(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw failed(`${folder} cannot be read`, error)
  })
  const files = new Map<string, string>()
  for (const entry of entries.filter((name) => name.endsWith('.ts')).sort())
    files.set(entry.split(sep).join('/'), await readFile(join(folder, entry), 'utf8'))
  return files
}

function failed(what: string, cause: Error): UserError {
  const message = `${what}: ${cause.message}. It must be a folder in which this user may write.`
  return new UserError('generated_files_failed', message, { cause })
}
