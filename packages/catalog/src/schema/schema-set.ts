import { createFileRegistry, type DescMessage, type FileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { UserError } from '@headrace/queue'
import type { FilePlace } from '../source-places.ts'

/** Compiled .proto files. */
export interface SchemaSet {
  /** A serialized `google.protobuf.FileDescriptorSet` with all imports, dependencies first. */
  readonly descriptors: Uint8Array
  readonly registry: FileRegistry
  /**
   * Where messages, enums, fields, oneofs and enum values are declared, by full name, e.g. `acme.evm.Block.Hash`. Only of
   * schemas compiled from .proto files: descriptors do not say it.
   */
  readonly places?: ReadonlyMap<string, FilePlace>
  /** What is written above or behind these declarations, without the marks of comments. Only as places are. */
  readonly comments?: ReadonlyMap<string, string>
  /** A message by its full name. */
  message(name: string): DescMessage | undefined
}

/**
 * Makes a schema set from a serialized `google.protobuf.FileDescriptorSet`, dependencies first.
 *
 * @throws {UserError} `invalid_schema`
 */
export function schemaFromDescriptors(descriptors: Uint8Array): SchemaSet {
  const known = registries.get(descriptors)
  const registry = known ?? parse(descriptors)
  if (!known) registries.set(descriptors, registry)
  return { descriptors, registry, message: (name) => registry.getMessage(name) }
}

/** All topics of a connector have the same schema: with hundreds of them, parsing it for each takes minutes. */
const registries = new WeakMap<Uint8Array, FileRegistry>()

function parse(descriptors: Uint8Array): FileRegistry {
  try {
    return createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptors))
  } catch (cause) {
    throw new UserError(
      'invalid_schema',
      `A registered schema is no complete FileDescriptorSet: ${(cause as Error).message}. Register the topic anew.`,
      { cause },
    )
  }
}
