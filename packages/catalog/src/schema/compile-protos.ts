import { dirname } from 'node:path'
import { create, type DescFile, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import protobuf from 'protobufjs'
import { didYouMean } from '../nearest-name.ts'
import type { FilePlace, Problem } from '../problem.ts'
import { checkNames, checkProtoFile, createReport } from './check-proto-file.ts'
import { createFileDescriptor, InvalidOptionError, type ResolveType, type TypeKind } from './file-descriptor.ts'
import { loadProtoFiles, type ProtoFile, type ProtoFiles } from './proto-files.ts'
import { type SchemaSet, schemaFromDescriptors } from './schema-set.ts'
import { addComments, type Comments } from './source-comments.ts'
import { wellKnownFiles } from './well-known-files.ts'

export interface CompileOptions {
  /** Imports are relative to it. Default: the folder of the first file. */
  readonly root?: string
  /** The texts of all files by absolute path, instead of those on the disk. */
  readonly texts?: ReadonlyMap<string, string>
}

export interface CompiledProtos {
  /** Absent if there is a problem. */
  readonly schema?: SchemaSet
  readonly problems: readonly Problem[]
}

/**
 * A mistake is a problem with its place, not an exception.
 *
 * @param files - Absolute paths.
 */
export async function compileProtos(files: readonly string[], options: CompileOptions = {}): Promise<CompiledProtos> {
  const problems: Problem[] = []
  const root = options.root ?? dirname(files[0] ?? '/')
  const loaded = await loadProtoFiles(files, { root, problems, texts: options.texts })
  checkNames(loaded, problems)
  const descriptors = [...loaded.values()].flatMap((file) => compile(file, loaded, problems) ?? [])
  if (problems.length > 0) return { problems }
  const { places, comments } = declared(loaded)
  addComments(descriptors, comments)
  const set = create(FileDescriptorSetSchema, { file: [...importedWellKnown(descriptors), ...descriptors] })
  const schema = schemaFromDescriptors(toBinary(FileDescriptorSetSchema, set))
  return { schema: { ...schema, places }, problems }
}

function compile(file: ProtoFile, files: ProtoFiles, problems: Problem[]): FileDescriptorProto | undefined {
  const report = createReport(file, problems)
  const { types, complete } = visibleTypes(file, files)
  const resolve: ResolveType = (reference, owner) => {
    const name = resolveTypeName(reference, owner.parent!.fullName.slice(1), types)
    if (name !== undefined) return { name, kind: types.get(name)! }
    if (!complete) return undefined
    const names = [...types.keys()].flatMap((type) => [type, type.slice(type.lastIndexOf('.') + 1)])
    const hint = didYouMean(reference, names)
    report(owner, `The type "${reference}" is unknown here.${hint} A type of another file needs an import.`, 'type')
    return undefined
  }
  checkProtoFile(file, report)
  try {
    return createFileDescriptor(file, resolve)
  } catch (error) {
    if (!(error instanceof InvalidOptionError)) throw error
    report(error.owner, `An option is invalid: ${error.message}.`)
    return undefined
  }
}

function declared(files: ProtoFiles): { readonly places: ReadonlyMap<string, FilePlace>; readonly comments: Comments } {
  const places = new Map<string, FilePlace>()
  const comments = new Map<string, string>()
  for (const { path, package: name, declarations } of files.values())
    for (const { kind, scope, name: own, place, comment } of declarations) {
      if (kind === 'import' || kind === 'syntax' || kind === 'service') continue
      const fullName = [name, scope, own].filter(Boolean).join('.')
      places.set(fullName, { file: path, ...place })
      if (comment !== undefined) comments.set(fullName, comment)
    }
  return { places, comments }
}

/** Dependencies first. */
function importedWellKnown(descriptors: readonly FileDescriptorProto[]): FileDescriptorProto[] {
  const wanted = new Set<FileDescriptorProto>()
  const add = (name: string): void => {
    const file = wellKnownFiles.get(name)
    if (!file) return
    for (const dependency of file.proto.dependency) add(dependency)
    wanted.add(file.proto)
  }
  for (const descriptor of descriptors) for (const name of descriptor.dependency) add(name)
  return [...wanted]
}

interface VisibleTypes {
  /** By full name. */
  readonly types: ReadonlyMap<string, TypeKind>
  /** False if an import could not be read: other types may exist. */
  readonly complete: boolean
}

function visibleTypes(file: ProtoFile, files: ProtoFiles): VisibleTypes {
  const types = new Map<string, TypeKind>()
  let complete = true
  addTypes(types, file)
  const seen = new Set<string>()
  const addImport = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const wellKnown = wellKnownFiles.get(name)
    if (wellKnown) addWellKnownTypes(types, wellKnown)
    const imported = files.get(name)
    if (!imported) {
      complete &&= wellKnown !== undefined
      return
    }
    addTypes(types, imported)
    for (const declaration of imported.declarations)
      if (declaration.kind === 'import' && declaration.public) addImport(declaration.name)
  }
  for (const declaration of file.declarations) if (declaration.kind === 'import') addImport(declaration.name)
  return { types, complete }
}

/** From the innermost scope outwards. */
function resolveTypeName(reference: string, scope: string, types: ReadonlyMap<string, TypeKind>): string | undefined {
  if (reference.startsWith('.')) return types.has(reference.slice(1)) ? reference.slice(1) : undefined
  for (let around = scope; ; around = around.slice(0, Math.max(0, around.lastIndexOf('.')))) {
    const candidate = around === '' ? reference : `${around}.${reference}`
    if (types.has(candidate)) return candidate
    if (around === '') return undefined
  }
}

function addTypes(types: Map<string, TypeKind>, { namespace }: Pick<ProtoFile, 'namespace'>): void {
  for (const nested of namespace.nestedArray) {
    const name = nested.fullName.slice(1)
    if (nested instanceof protobuf.Enum) types.set(name, 'enum')
    if (!(nested instanceof protobuf.Type)) continue
    types.set(name, 'message')
    addTypes(types, { namespace: nested })
  }
}

function addWellKnownTypes(types: Map<string, TypeKind>, file: DescFile): void {
  for (const type of nestedTypes(file))
    if (type.kind === 'message' || type.kind === 'enum') types.set(type.typeName, type.kind)
}
