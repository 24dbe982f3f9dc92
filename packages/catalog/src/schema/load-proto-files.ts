import { stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Problem } from '../problem.ts'
import type { ProtoDeclaration } from './proto-declarations.ts'
import { type ProtoFile, readProtoFile } from './proto-file.ts'
import { wellKnownFiles } from './well-known-files.ts'

/**
 * Reads .proto files and their imports, dependencies first. An import is looked up under the root, then next to the
 * importing file. In the returned declarations its name is its path from the root.
 */
export async function loadProtoFiles(
  paths: readonly string[],
  root: string,
  problems: Problem[],
): Promise<ReadonlyMap<string, ProtoFile>> {
  const files = new Map<string, ProtoFile>()
  const begun = new Set<string>()
  const open = new Set<string>()
  const nameOf = (path: string): string => relative(root, path).split(sep).join('/')

  const load = async (path: string): Promise<void> => {
    const name = nameOf(path)
    if (begun.has(name)) return
    begun.add(name)
    open.add(name)
    const file = await readProtoFile(path, name, problems)
    if (file) files.set(name, { ...file, declarations: await loadImports(file) })
    open.delete(name)
  }

  const loadImports = async ({ path, declarations }: ProtoFile): Promise<ProtoDeclaration[]> => {
    const named: ProtoDeclaration[] = []
    for (const declaration of declarations) {
      if (declaration.kind !== 'import' || wellKnownFiles.has(declaration.name)) {
        named.push(declaration)
        continue
      }
      const { name: target, place } = declaration
      const report = (code: Problem['code'], message: string) =>
        problems.push({ severity: 'error', code, file: path, ...place, message })
      const found = await findImport(target, root, dirname(path))
      const name = found === undefined ? target : nameOf(found)
      if (!found)
        report(
          'proto_not_found',
          `There is no file "${target}" under ${root} or next to this file. Correct the import or add the file.`,
        )
      else if (open.has(name)) report('proto_invalid', `"${target}" imports this file. Files cannot import each other.`)
      else if (named.some((other) => other.kind === 'import' && other.name === name))
        report('proto_invalid', `"${target}" is imported twice. Remove one of the imports.`)
      else await load(found)
      named.push({ ...declaration, name })
    }
    return named
  }

  for (const path of paths) await load(path)
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
