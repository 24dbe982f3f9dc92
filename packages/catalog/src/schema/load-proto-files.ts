import { stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Problem } from '../problem.ts'
import { type ProtoFile, readProtoFile } from './proto-file.ts'
import { wellKnownFiles } from './well-known-files.ts'

/**
 * Reads .proto files and all they import, each once, dependencies first. Mistakes are added to `problems`.
 *
 * An import is looked for under the root, then beside the file that has it. Google's well-known files are built in.
 */
export async function loadProtoFiles(
  paths: readonly string[],
  root: string,
  problems: Problem[],
): Promise<ReadonlyMap<string, ProtoFile>> {
  const files = new Map<string, ProtoFile>()
  const visiting = new Set<string>()
  const load = async (path: string, name: string): Promise<void> => {
    if (visiting.has(name)) return
    visiting.add(name)
    const file = await readProtoFile(path, name, problems)
    for (const { name: target, place } of file?.declarations.filter(({ kind }) => kind === 'import') ?? []) {
      const report = (message: string) =>
        problems.push({ severity: 'error', code: 'proto_not_found', file: path, ...place, message })
      if (wellKnownFiles.has(target)) continue
      const found = await findImport(target, root, dirname(path))
      if (!found)
        report(`There is no file "${target}" under ${root} or beside this file. Correct the import or add it.`)
      else if (visiting.has(target) && !files.has(target))
        report(`"${target}" imports this file. Files cannot import each other.`)
      else await load(found, target)
    }
    if (file) files.set(name, file)
  }
  for (const path of paths) await load(path, relative(root, path).split(sep).join('/'))
  return files
}

async function findImport(target: string, ...folders: string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const path = join(folder, target)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile()) return path
  }
  return undefined
}
