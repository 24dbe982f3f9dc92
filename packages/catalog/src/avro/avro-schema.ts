/** A schema of Apache Avro 1.12. Its records may be recursive. */
export type AvroType =
  | AvroPrimitive
  | AvroRecord
  | AvroEnum
  | AvroFixed
  | { readonly kind: 'array'; readonly items: AvroType }
  | { readonly kind: 'map'; readonly values: AvroType }
  | { readonly kind: 'union'; readonly branches: readonly AvroType[] }

export const primitiveKinds = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const

export interface AvroPrimitive {
  readonly kind: (typeof primitiveKinds)[number]
  readonly logical?: AvroLogical | undefined
}

interface AvroNamed {
  /** With its namespace. */
  readonly name: string
  /** With their namespaces. */
  readonly aliases: readonly string[]
  readonly doc?: string | undefined
}

export interface AvroRecord extends AvroNamed {
  readonly kind: 'record'
  readonly fields: readonly AvroField[]
}

export interface AvroField {
  readonly name: string
  readonly aliases: readonly string[]
  readonly type: AvroType
  readonly doc?: string | undefined
  /** JSON. Absent: the field has no default. */
  readonly default?: { readonly value: unknown }
}

export interface AvroEnum extends AvroNamed {
  readonly kind: 'enum'
  readonly symbols: readonly string[]
  /** For symbols of a writer that are not known. */
  readonly default?: string | undefined
}

export interface AvroFixed extends AvroNamed {
  readonly kind: 'fixed'
  readonly size: number
  readonly logical?: AvroLogical | undefined
}

export type AvroLogical =
  | { readonly name: 'decimal'; readonly scale: number }
  | { readonly name: 'uuid' | 'duration' | 'date' | 'time-millis' | 'time-micros' }
  /** `perSecond`: of its unit. `isLocal`: without a time zone. */
  | { readonly name: 'timestamp'; readonly perSecond: number; readonly isLocal: boolean }

export function isNamed(type: AvroType): type is AvroRecord | AvroEnum | AvroFixed {
  return type.kind === 'record' || type.kind === 'enum' || type.kind === 'fixed'
}

/** For messages. */
export function nameOf(type: AvroType): string {
  return isNamed(type) ? type.name : type.kind
}
