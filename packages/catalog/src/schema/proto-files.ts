import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import protobuf from 'protobufjs'
import { explainFileMistake } from '../file-mistake.ts'
import type { Place, Problem } from '../problem.ts'
import { listDeclarations, type ProtoDeclaration } from './proto-declarations.ts'
import { wellKnownFiles } from './well-known-files.ts'

export interface ProtoFile {
  /** As other files import it. */
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly package: string
  readonly namespace: protobuf.NamespaceBase
  readonly declarations: readonly ProtoDeclaration[]
}

export interface ProtoSources {
  readonly root: string
  /** Mistakes are added to it. */
  readonly problems: Problem[]
  /** By absolute path, instead of the disk. */
  readonly texts: ReadonlyMap<string, string> | undefined
}

/** By name. */
export type ProtoFiles = ReadonlyMap<string, ProtoFile>

/** `undefined` after adding mistakes to `problems`. */
async function readProtoFile(
  path: string,
  name: string,
  { problems, texts }: ProtoSources,
): Promise<ProtoFile | undefined> {
  const report = (place: Place, code: Problem['code'], message: string) =>
    problems.push({ severity: 'error', code, file: path, ...place, message })
  const source = texts?.get(path) ?? (await readFile(path, 'utf8').catch((error: Error) => error))
  if (typeof source !== 'string') {
    report(start, 'proto_not_found', `This file cannot be read: ${explainFileMistake(source)}.`)
    return undefined
  }
  const declarations = listDeclarations(source)
  const syntax = declarations.find(({ kind }) => kind === 'syntax')
  if (syntax?.name !== 'proto3') {
    report(syntax?.place ?? start, 'proto_invalid', explainSyntax(syntax))
    return undefined
  }
  try {
    const parsed = protobuf.parse(source, new protobuf.Root(), { keepCase: true })
    const namespace = parsed.package ? parsed.root.define(parsed.package) : parsed.root
    return { name, path, package: parsed.package ?? '', namespace, declarations }
  } catch (error) {
    const { message } = error as Error
    report(placeOf(message, source, declarations), 'proto_syntax', explain(message))
    return undefined
  }
}

function explainSyntax(syntax: ProtoDeclaration | undefined): string {
  const found = syntax
    ? `This file is written in ${JSON.stringify(syntax.name)}`
    : 'This file has no syntax declaration, so it is proto2'
  return `${found}, but only proto3 is supported. Begin it with:  syntax = "proto3";`
}

function explain(message: string): string {
  const expected = /^illegal token '(.*)', '(.*)' expected/.exec(message)
  if (expected) return `Found ${found(expected[1]!)} where "${expected[2]}" is expected.`
  const illegal = /^illegal ([^']+?) '(.*)' \(/.exec(message)
  if (illegal)
    return illegal[1] === 'token'
      ? `Found ${found(illegal[2]!)}, which is not allowed here.`
      : `Found ${found(illegal[2]!)}, which is not a valid ${illegal[1]}.`
  const unfinished = /^illegal (\w+) \(/.exec(message)
  if (unfinished) return `A ${unfinished[1]} has no end. Add it.`
  const clash = clashPattern.exec(message)
  if (!clash?.groups) return `${message}.`
  const { number, name, owner } = clash.groups
  const what = number === undefined ? `Name "${name}"` : `Number ${number}`
  const where = owner ? ` in ${owner}` : ''
  return message.startsWith('duplicate')
    ? `${what} is used twice${where}. Use a unique one.`
    : `${what} is reserved${where}. Use another one.`
}

function found(token: string): string {
  return token === 'null' ? 'the end of the file' : JSON.stringify(token)
}

/** A line and a token, or the clashing declaration. */
function placeOf(message: string, source: string, declarations: readonly ProtoDeclaration[]): Place {
  const line = Number(/\(.*?line (\d+)\)$/.exec(message)?.[1] ?? 0)
  if (line > 0) {
    const token = /'(.*?)'/.exec(message)?.[1]
    return { line, column: columnOf(token, source.split('\n')[line - 1] ?? '') }
  }
  const { number, name, owner = '' } = clashPattern.exec(message)?.groups ?? {}
  const scope = owner.split('.').at(-1)!
  const clashing = declarations.filter(
    (one) =>
      (number === undefined ? one.name === name : one.number === Number(number)) &&
      (scope === '' || one.scope === scope || one.scope.endsWith(`.${scope}`)),
  )
  return clashing.at(-1)?.place ?? start
}

/** Whole words only: "a" is not part of "repeated". */
function columnOf(token: string | undefined, line: string): number {
  if (!token) return 1
  const whole = [...line.matchAll(/[\w.]+/g)].find(([word]) => word === token)
  return Math.max(0, whole?.index ?? line.indexOf(token)) + 1
}

/** Messages for duplicate or reserved names and numbers. */
const clashPattern = /(?:id (?<number>-?\d+)|name '(?<name>.*)').* in (?:Type|Enum|Root|Namespace) ?\.?(?<owner>.*)$/
const start: Place = { line: 1, column: 1 }

/**
 * Dependencies first. An import is looked up under the root, then next to the importing file. In the returned
 * declarations its name is its path from the root.
 */
export async function loadProtoFiles(paths: readonly string[], sources: ProtoSources): Promise<ProtoFiles> {
  const { root, problems } = sources
  const files = new Map<string, ProtoFile>()
  const begun = new Set<string>()
  const open = new Set<string>()
  const nameOf = (path: string): string => relative(root, path).split(sep).join('/')

  const load = async (path: string): Promise<void> => {
    const name = nameOf(path)
    if (begun.has(name)) return
    begun.add(name)
    open.add(name)
    const file = await readProtoFile(path, name, sources)
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
      const found = await findImport(target, sources, dirname(path))
      const name = found === undefined ? target : nameOf(found)
      if (!found)
        report(
          'proto_not_found',
          `There is no file "${target}" under ${root} or next to this file. Correct the import or add the file.`,
        )
      else if (open.has(name))
        report(
          'proto_invalid',
          `"${target}" imports this file. Files cannot import each other: move what both need to a third file.`,
        )
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

async function findImport(target: string, { root, texts }: ProtoSources, folder: string): Promise<string | undefined> {
  for (const path of [join(root, target), join(folder, target)])
    if (texts ? texts.has(path) : await isFile(path)) return path
  return undefined
}

export async function isFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ?? false
}
