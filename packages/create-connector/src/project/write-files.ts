import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectFile } from './project-file.ts'

/** Writes files into a folder, whose own folders are made where they are missing. */
export async function writeFiles(folder: string, files: readonly ProjectFile[]): Promise<void> {
  for (const { path, content } of files) {
    const file = join(folder, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
}
