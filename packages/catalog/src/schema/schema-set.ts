import { createFileRegistry, type DescEnum, type DescMessage, type FileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { UserError } from '@headrace/queue'
import type { FilePlace } from '../problem.ts'

export interface SchemaSet {
  /** A serialized `google.protobuf.FileDescriptorSet` with all imports, dependencies first, and the comments. */
  readonly descriptors: Uint8Array
  readonly registry: FileRegistry
  /** By full name, such as `acme.evm.Block.Hash`. Only for schemas compiled from .proto files. */
  readonly places?: ReadonlyMap<string, FilePlace>
  message(name: string): DescMessage | undefined
}

/**
 * @param descriptors - Dependencies first.
 * @throws {UserError} `invalid_schema`
 */
export function schemaFromDescriptors(descriptors: Uint8Array): SchemaSet {
  const registry = registries.get(descriptors) ?? parse(descriptors)
  registries.set(descriptors, registry)
  return { descriptors, registry, message: (name) => registry.getMessage(name) }
}

/** Parsing the shared schema for each of hundreds of topics would take minutes. */
const registries = new WeakMap<Uint8Array, FileRegistry>()

function parse(descriptors: Uint8Array): FileRegistry {
  try {
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors))
  } catch (cause) {
    throw new UserError(
      'invalid_schema',
      `A registered schema is not a complete FileDescriptorSet: ${(cause as Error).message}. Register the topic again.`,
      { cause },
    )
  }
}

/** A message and those of its fields, at any depth. */
export function messagesWithin(message: DescMessage, found: Set<DescMessage> = new Set()): Set<DescMessage> {
  if (found.has(message)) return found
  found.add(message)
  for (const field of message.fields) if (field.message) messagesWithin(field.message, found)
  return found
}

/** `end` is exclusive. */
export interface NumberRange {
  readonly start: number
  readonly end: number
}

/** Only descriptors of enums have an inclusive end. */
export function reservedRanges(type: DescMessage | DescEnum): readonly NumberRange[] {
  if (type.kind === 'message') return type.proto.reservedRange
  return type.proto.reservedRange.map(({ start, end }) => ({ start, end: end + 1 }))
}
