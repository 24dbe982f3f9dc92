import type { TestProject } from 'vitest/node'
import { environment } from '../kafka/environment.ts'
import { buildGoPrograms } from './go.ts'
import { preparePython } from './python.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Folder with a `python3` that has what tests need; `null` where there is none: its tests are skipped. */
    pythonFolder: string | null
    /** Folder with the programs in Go; `null` where they cannot be built: their tests are skipped. */
    goFolder: string | null
  }
}

/** Makes ready what tests of connectors in other languages need. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('pythonFolder', folderOf('Python', await preparePython()))
  project.provide('goFolder', folderOf('Go', await buildGoPrograms()))
}

function folderOf(
  language: string,
  prepared: { readonly folder: string } | { readonly unavailable: string },
): string | null {
  if ('folder' in prepared) return prepared.folder
  if (environment.ci) throw new Error(`The ${language} tests cannot run: ${prepared.unavailable}.`)
  console.error(`${language} tests skipped: ${prepared.unavailable}.`)
  return null
}
