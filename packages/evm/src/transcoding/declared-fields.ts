import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { UserError } from '@headrace/sdk'
import { type DeclaredField, protobufType } from './bound-table.ts'
import type { MessageTable } from './message-table.ts'

/**
 * The fields of a message in a .proto.
 *
 * @throws {UserError} `schema_mismatch`: it declares another type of a field, or a field that is not in the table.
 */
export function declaredFields(table: MessageTable, { fields }: DescMessage): DeclaredField[] {
  return fields.map((declaration) => {
    const field = table.fields.find(([, name]) => name === declaration.name)
    if (!field)
      throw mismatch(declaration, 'an EVM source has no such field. Remove it, or map blocks to messages yourself')
    const [found, expected] = [declaredType(declaration), protobufType(field)]
    if (found !== expected) throw mismatch(declaration, `it is ${found}, and must be ${expected}`)
    const { name, number, presence, message } = declaration
    const nested = typeof field[2] === 'object' && message && declaredFields(field[2], message)
    const hasPresence = presence === FeatureSet_FieldPresence.EXPLICIT
    return { name, number, hasPresence, ...(nested && { fields: nested }) }
  })
}

function declaredType(declaration: DescField): string {
  const { fieldKind, scalar, message } = declaration
  if (fieldKind === 'map') return 'map'
  if (fieldKind === 'list') return `repeated ${scalar ? nameOf(scalar) : declaration.listKind}`
  return scalar ? nameOf(scalar) : (message?.typeName ?? fieldKind)
}

function nameOf(scalar: ScalarType): string {
  return ScalarType[scalar].toLowerCase()
}

function mismatch({ name, parent }: DescField, problem: string): UserError {
  return new UserError('schema_mismatch', `Field "${name}" of message ${parent.typeName}: ${problem}.`)
}
