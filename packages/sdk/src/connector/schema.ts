import type { BinaryWriter } from '@bufbuild/protobuf/wire'

/** Encodes one message type. Generated code has one for each message. */
export interface MessageCodec<T> {
  /** Full name of the message, e.g. `headrace.evm.Block`. */
  readonly name: string
  /** Appends `message` to `writer` and returns that writer. */
  encode(message: T, writer?: BinaryWriter): BinaryWriter
}

/** The messages that a connector may publish and the type of its settings. Made by `connector codegen`. */
export interface Schema {
  /** By short name, e.g. `Block`. */
  readonly messages: Readonly<Record<string, MessageCodec<unknown>>>
  /** Carries the type of the settings. It has no value at run time. */
  readonly config: unknown
  /** Messages come as bytes from another program, so each is checked before it is published. */
  readonly encoded?: true
}

/** The message type that a codec encodes. */
export type MessageOf<Codec> = Codec extends MessageCodec<infer T> ? T : never

/** A schema of the message types `M`, by short name, and of settings of type `Config`. */
export interface DefinedSchema<M, Config> extends Schema {
  readonly messages: { readonly [K in keyof M & string]: MessageCodec<M[K]> }
  readonly config: Config
}

/**
 * Ties message types and the type of the settings to their codecs. `connector codegen` generates the call.
 *
 * @example
 * ```ts
 * export const schema: DefinedSchema<{ Block: Block }, Config> = defineSchema<{ Block: Block }, Config>({
 *   Block: { name: 'acme.chain.Block', encode: Block.encode },
 * })
 * ```
 */
export function defineSchema<M, Config>(messages: DefinedSchema<M, Config>['messages']): DefinedSchema<M, Config> {
  return { messages, config: undefined as Config }
}
