import { readdir, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { wellKnownFiles } from '../schema/well-known-files.ts'
import { describe, fieldOf, type YamlSource } from './yaml-source.ts'

export interface FoundProtoFiles {
  /** Absolute. */
  readonly files: readonly string[]
  /** Absolute. Imports are relative to it. */
  readonly root: string
}

/**
 * By default those under `proto/`, or next to the manifest. Copies of Google's files, which are built in, are skipped.
 */
export async function findProtoFiles(source: YamlSource, map: YAMLMap, dir: string): Promise<FoundProtoFiles> {
  const folder = join(dir, 'proto')
  const node = fieldOf(map, 'proto')
  const files = node ? await namedFiles(source, node, dir) : await defaultFiles(source, map, folder, dir)
  const inFolder = files.length > 0 && files.every((file) => file.startsWith(folder + sep))
  return { files, root: inFolder ? folder : dir }
}

async function namedFiles(source: YamlSource, node: Node, dir: string): Promise<string[]> {
  const items = isSeq(node) ? (node.items as Node[]) : [node]
  const files: string[] = []
  if (items.length === 0) source.report(node, 'invalid_field', `"proto" is an empty list; ${allowed}`)
  for (const item of items) {
    const path = isScalar(item) && typeof item.value === 'string' ? resolve(dir, item.value) : undefined
    if (!path?.endsWith('.proto'))
      source.report(item, 'invalid_field', `"proto" ${isSeq(node) ? 'holds' : 'is'} ${describe(item)}; ${allowed}`)
    else if (files.includes(path))
      source.report(item, 'invalid_field', `"proto" holds ${describe(item)} twice. Name each file once.`)
    else if (!(await isFile(path)))
      source.report(
        item,
        'proto_not_found',
        `There is no file ${describe(item)} in ${dir}. Correct the path or add the file.`,
      )
    else files.push(path)
  }
  return files
}

async function defaultFiles(source: YamlSource, map: YAMLMap, folder: string, dir: string): Promise<string[]> {
  const inFolder = await protoFilesIn(folder, true)
  const files = inFolder.length > 0 ? inFolder : await protoFilesIn(dir, false)
  if (files.length === 0)
    source.report(
      map,
      'proto_not_found',
      'There is no .proto file under proto/ or next to manifest.yaml. Add one that defines the messages.',
    )
  return files
}

async function protoFilesIn(folder: string, recursive: boolean): Promise<string[]> {
  const names = await readdir(folder, { recursive }).catch(() => [])
  return names
    .filter((name) => name.endsWith('.proto') && !wellKnownFiles.has(name.split(sep).join('/')))
    .sort()
    .map((name) => join(folder, name))
}

const allowed = 'it must be the path of a .proto file, or a list of paths. Leave it out to take all under proto/.'

async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ?? false
}
