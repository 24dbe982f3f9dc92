import type { BinaryWriter } from '@bufbuild/protobuf/wire'

/** Encodes one message type. `connector codegen` generates it. */
export interface MessageCodec<T> {
  /** Full name of the message, e.g. `headrace.evm.Block`. */
  readonly name: string
  /** Appends `message` to `writer` and returns that writer. */
  encode(message: T, writer?: BinaryWriter): BinaryWriter
}

/** The messages that a connector may publish and the type of its settings. `connector codegen` generates it. */
export interface Schema {
  readonly messages: Readonly<Record<string, MessageCodec<unknown>>>
  /** Only carries a type. It has no value at run time. */
  readonly config: unknown
  /** Messages come as bytes from another program, so each is checked before it is published. */
  readonly encoded?: true
}

export type MessageOf<Codec> = Codec extends MessageCodec<infer T> ? T : never

/**
 * A message as protobuf bytes, which are published unchanged and unchecked. They must be valid: of the fields and types
 * that the .proto declares, and with every singular field at most once. They must not change after they were yielded.
 */
export type EncodedMessage = Uint8Array

/** Messages by short name. Lists are published in the order of the keys. */
export type Messages<S extends Schema = Schema> = {
  readonly [K in keyof S['messages']]?: readonly MessageOf<S['messages'][K]>[]
}

export type EncodedMessages<S extends Schema = Schema> = {
  readonly [K in keyof S['messages']]?: readonly EncodedMessage[]
}

/** A schema of the messages `M`, by short name, and of settings of type `Config`. */
export interface DefinedSchema<M, Config> extends Schema {
  readonly messages: { readonly [K in keyof M & string]: MessageCodec<M[K]> }
  readonly config: Config
}

/** Types the codecs of a connector. `connector codegen` generates the call. */
export function defineSchema<M, Config>(messages: DefinedSchema<M, Config>['messages']): DefinedSchema<M, Config> {
  return { messages, config: undefined as Config }
}
