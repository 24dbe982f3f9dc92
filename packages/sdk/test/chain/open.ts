import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { TestProject, TestProjectOptions } from '@headrace/sdk/testing'
import { type LoadedFolders, openTestProject } from '../../src/testing/test-project.ts'

/** Shared by all tests of a process: loading a project takes longer than publishing with it. */
const folders: LoadedFolders = new Map()

/** A value for the setting `chain`, so that a project has its own topics on a shared queue. */
export function newChain(): string {
  return Array.from(randomBytes(12), (byte) => String.fromCharCode(97 + (byte % 26))).join('')
}

/** Opens this project. Default: on an embedded queue of its own. */
export function openChain(options?: TestProjectOptions): Promise<TestProject> {
  return openFixed(new URL('.', import.meta.url), options)
}

/** Opens the project of a folder whose files do not change. */
export function openFixed(folder: URL, options: TestProjectOptions = {}): Promise<TestProject> {
  return openTestProject(fileURLToPath(folder), options, folders)
}
