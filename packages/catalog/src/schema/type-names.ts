import type { DescFile } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import protobuf from 'protobufjs'
import type { ProtoFile } from './proto-files.ts'
import { wellKnownFiles } from './well-known-files.ts'

export type TypeKind = 'message' | 'enum'

export interface VisibleTypes {
  /** By full name. */
  readonly types: ReadonlyMap<string, TypeKind>
  /** False if an import could not be read: other types may exist. */
  readonly complete: boolean
}

/** The types of a file, of its imports and of their public imports. */
export function visibleTypes(file: ProtoFile, files: ReadonlyMap<string, ProtoFile>): VisibleTypes {
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
export function resolveTypeName(
  reference: string,
  scope: string,
  types: ReadonlyMap<string, TypeKind>,
): string | undefined {
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
