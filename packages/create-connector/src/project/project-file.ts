import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface ProjectFile {
  /** Relative to the project's folder, with `/`. */
  readonly path: string
  readonly content: string | Uint8Array
}

export async function writeFiles(folder: string, files: readonly ProjectFile[]): Promise<void> {
  for (const { path, content } of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}
