import type { TestProject } from 'vitest/node'
import { environment } from '../environment.ts'
import { buildGoPrograms } from './go.ts'
import { preparePython } from './python.ts'

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

function folderOf(
  language: string,
  prepared: { readonly folder: string } | { readonly unavailable: string },
): string | null {
  if ('folder' in prepared) return prepared.folder
  if (environment.ci) throw new Error(`The ${language} tests cannot run: ${prepared.unavailable}.`)
  console.error(`${language} tests skipped: ${prepared.unavailable}.`)
  return null
}
