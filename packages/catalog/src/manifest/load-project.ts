import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import type { DescMessage } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { explainFileMistake } from '../file-mistake.ts'
import type { Problem } from '../problem.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import { isFile } from '../schema/proto-files.ts'
import type { SchemaSet } from '../schema/schema-set.ts'
import { wellKnownFiles } from '../schema/well-known-files.ts'
import { formatLineage } from '../topic-name/topic-name.ts'
import type { Project } from './manifest.ts'
import { readHead } from './read-head.ts'
import { readSettingsSchema } from './read-settings-schema.ts'
import { readTopics } from './read-topics.ts'
import { describe, fieldOf, parseYaml, type YamlSource } from './yaml-source.ts'

export interface LoadedProject {
  /** Absent if there is an error. */
  readonly project?: Project
  /** Sorted by file and place. */
  readonly problems: readonly Problem[]
}

/** A mistake is a problem with its place, not an exception. */
export async function loadProject(dir: string): Promise<LoadedProject> {
  const root = resolve(dir)
  const file = join(root, 'manifest.yaml')
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error)
  if (typeof text !== 'string') return { problems: [await missing(file, text)] }
  const source = parseYaml(file, text)
  if (source.problems.length > 0) return { problems: source.problems }
  const map = source.document.contents
  if (!isMap(map)) {
    const found = map ? describe(map) : 'empty'
    const rule = 'it must be a map with at least the fields package, owner and version'
    source.report(map, 'manifest_syntax', `The manifest is ${found}; ${rule}.`)
    return { problems: source.problems }
  }
  const head = readHead(source, map)
  const config = readSettingsSchema(source, map)
  const protos = await findProtoFiles(source, map, root)
  const compiled = await compileProtos(protos.files, { root: protos.root })
  const messages = protos.files.length > 0 && compiled.schema && messagesOf(compiled.schema, protos)
  const topics = messages && readTopics(source, map, { head: head ?? anyHead, config, messages })
  const problems = [...source.problems, ...compiled.problems].sort(byPlace)
  if (!head || !compiled.schema || !topics || problems.some(({ severity }) => severity === 'error')) return { problems }
  const manifest = { ...head, proto: protos.files, topics: topics.map(({ topic }) => topic), config }
  const topicPlace: Project['topicPlace'] = (message, field) => {
    const topic = topics.find((one) => one.topic.message === message)?.map
    const node = topic && field !== undefined ? fieldOf(topic, field) : undefined
    return source.placeOf(node ?? topic ?? fieldOf(map, 'topics') ?? map)
  }
  const { schema } = compiled
  return { project: { dir: root, manifest, schema, lineage: formatLineage(head), topicPlace }, problems }
}

function messagesOf({ registry }: SchemaSet, { files, root }: FoundProtoFiles): DescMessage[] {
  return files
    .flatMap((file) => registry.getFile(relative(root, file).split(sep).join('/')) ?? [])
    .flatMap((file) => [...nestedTypes(file)])
    .filter((type) => type.kind === 'message')
}

async function missing(file: string, error: NodeJS.ErrnoException): Promise<Problem> {
  const problem = { severity: 'error', code: 'manifest_not_found', file, line: 1, column: 1 } as const
  const folder = dirname(file)
  if (error.code === 'ENOTDIR') {
    const message = `This is not a folder. Use the folder of a connector, such as ${dirname(folder)}`
    return { ...problem, file: folder, message }
  }
  const message =
    error.code === 'ENOENT'
      ? `There is no manifest.yaml here. ${await remedyOf(folder)}`
      : `manifest.yaml cannot be read: ${explainFileMistake(error)}.`
  return { ...problem, message }
}

async function remedyOf(dir: string): Promise<string> {
  const names = await readdir(dir).catch(() => undefined)
  if (!names) return `There is no folder ${dir} either: check the path.`
  const other = names.find((name) => /^manifest\.(yml|json)$/i.test(name))
  return other === undefined
    ? 'Add one with the fields package, owner and version, or name the folder of a connector.'
    : `There is a ${other}: rename it to manifest.yaml.`
}

/** Replaces a head of the manifest that is invalid, so that the topics are checked too. */
const anyHead = { package: 'a', owner: 'a', version: '1.0.0', topicVersion: '1.0.0', declaresTopicVersion: false }

function byPlace(a: Problem, b: Problem): number {
  return a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column
}

/** Absolute. */
interface FoundProtoFiles {
  readonly files: readonly string[]
  /** Imports are relative to it. */
  readonly root: string
}

/** By default those under `proto/` or next to the manifest, without copies of Google's files, which are built in. */
async function findProtoFiles(source: YamlSource, map: YAMLMap, dir: string): Promise<FoundProtoFiles> {
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
    else if (await isFile(path)) files.push(path)
    else {
      const message = `There is no file ${describe(item)} in ${dir}. Correct the path or add the file.`
      source.report(item, 'proto_not_found', message)
    }
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
