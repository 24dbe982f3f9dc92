import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import type { TestProject } from 'vitest/node'
import { environment } from '../environment.ts'
import { firstLine, reportSkipped } from '../skipped-tests.ts'
import { type PreparedPrograms, preparePython } from './python.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder with a `python3` that has the packages of the tests; `null` if there is none: its tests are skipped. */
    pythonFolder: string | null
    /** Folder with the programs in Go; `null` if they cannot be built: their tests are skipped. */
    goFolder: string | null
  }
}

/** Prepares Python and Go for the tests of connectors in other languages. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('pythonFolder', folderOf('Python', await preparePython()))
  project.provide('goFolder', folderOf('Go', await buildGoPrograms()))
}

function folderOf(language: string, prepared: PreparedPrograms): string | null {
  if ('folder' in prepared) return prepared.folder
  reportSkipped(language, prepared.unavailable)
  return null
}

/** Folders of the programs of this repository that are written in Go, by name. */
const goPrograms = {
  'go-clock': 'examples/go-clock',
  scripted: 'packages/sdk/test/process/children/scripted-go',
  'event-reader': 'packages/server/test/independent/event-reader',
}

/** Builds them into a folder. With Go's cache it takes a second. */
async function buildGoPrograms(): Promise<PreparedPrograms> {
  const folder = join(environment.cacheFolder, 'go-programs')
  try {
    await mkdir(folder, { recursive: true })
    for (const [name, dir] of Object.entries(goPrograms))
      await execa('go', ['build', '-o', join(folder, name), '.'], { cwd: join(import.meta.dirname, '../../..', dir) })
    return { folder }
  } catch (error) {
    return { unavailable: `no Go that builds them: ${firstLine(error)}` }
  }
}
