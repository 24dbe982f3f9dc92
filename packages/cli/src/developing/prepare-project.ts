import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Project } from '@headrace/catalog'
import type { CommandContext } from '../command-context.ts'
import { loadConnectorProject } from '../project/load-connector.ts'

export interface PreparedProject {
  readonly named: readonly string[]
  readonly code: readonly string[]
  readonly changed: readonly string[]
}

export function isOfProject(file: string): boolean {
  return file === 'manifest.yaml' || file.endsWith('.proto')
}

export async function prepareProject(dir: string, context: Pick<CommandContext, 'warn'>): Promise<PreparedProject> {
  const project = await loadConnectorProject(dir, context)
  const { run = 'src/connector.ts', proto } = project.manifest
  const named = [...proto, ...(typeof run === 'string' ? [resolve(dir, run)] : [])]
  const folder = join(dir, 'src/generated')
  if (!hasGeneratedCode(run, folder)) return { named, code: [], changed: [] }
  const { applyChanges, compareFolder, generateCode } = await import('@headrace/codegen')
  const files = await generateCode(project)
  const changes = await compareFolder(folder, files)
  await applyChanges(folder, changes)
  return {
    named,
    code: files.map(({ path }) => join(folder, path)),
    changed: changes.map(({ path }) => `src/generated/${path}`),
  }
}

/** A module in JavaScript may declare its schema itself. */
function hasGeneratedCode(run: Project['manifest']['run'], folder: string): boolean {
  return typeof run === 'string' && (/\.[mc]?ts$/.test(run) || existsSync(folder))
}
