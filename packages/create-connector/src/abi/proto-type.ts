import type { ParamType } from 'ethers'
import { isHashed } from './event-message.ts'

/** The type of a field. */
export interface ProtoType {
  readonly name: string
  readonly repeated: boolean
  /** What its message holds, where it is one: the components of a tuple, or a list. */
  readonly items?: 'components' | ParamType
}

/**
 * The type of the field for a parameter.
 *
 * @param taken - Names that are in use where its message is declared. That of its message is added.
 */
export function protoType(param: ParamType, fieldName: string, taken: Set<string>): ProtoType {
  if (isHashed(param)) return { name: 'bytes', repeated: false }
  if (!param.isArray()) return typeOfOne(param, fieldName, taken)
  const item = param.arrayChildren
  if (!item.isArray()) return { ...typeOfOne(item, fieldName, taken), repeated: true }
  return { name: messageName(`${fieldName}Row`, taken), repeated: true, items: item }
}

function typeOfOne(param: ParamType, fieldName: string, taken: Set<string>): ProtoType {
  if (param.isTuple()) return { name: messageName(fieldName, taken), repeated: false, items: 'components' }
  return { name: scalar(param.type), repeated: false }
}

function scalar(type: string): string {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? []
  if (bits !== undefined) return Number(bits) <= 64 ? `${unsigned}int64` : 'string'
  return type === 'bool' || type === 'string' ? type : 'bytes'
}

function messageName(fieldName: string, taken: Set<string>): string {
  const wanted = `${fieldName[0]!.toUpperCase()}${fieldName.slice(1)}`
  let name = wanted
  for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`
  taken.add(name)
  return name
}
