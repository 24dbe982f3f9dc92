import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InvalidProjectError, loadProject } from '@headrace/catalog'
import { generateCode } from '@headrace/codegen'
import type { ProjectFile } from './project-file.ts'
import { writeFiles } from './write-files.ts'

/**
 * Makes what `connector codegen` makes of a project, before there is one.
 *
 * @throws {InvalidProjectError} its manifest and its .proto files do not fit together.
 */
export async function generateFiles(files: readonly ProjectFile[]): Promise<ProjectFile[]> {
  const folder = await mkdtemp(join(tmpdir(), 'create-connector-'))
  try {
    await writeFiles(folder, files.filter(isSchema))
    const { project, problems } = await loadProject(folder)
    if (!project) throw new InvalidProjectError(problems)
    const generated = await generateCode(project)
    return generated.map(({ path, content }) => ({ path: `src/generated/${path}`, content }))
  } finally {
    await rm(folder, { recursive: true })
  }
}

function isSchema({ path }: ProjectFile): boolean {
  return path === 'manifest.yaml' || path.endsWith('.proto')
}
