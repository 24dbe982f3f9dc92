import { type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf'
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect'
import { messageForm } from '@headrace/catalog'
import type { Random } from '../../../testbed/random.ts'
import {
  concat,
  type FilterPair,
  type LiteralType,
  literal,
  literalOf,
  type Time,
  textLiteral,
  timeLiteral,
} from './random-literal.ts'

/** Parts of a record other than its value. */
export interface RecordParts {
  /** Text, bytes or nothing. */
  readonly key: string | Uint8Array | null
  readonly time: Time
  readonly op: string
  readonly unit: bigint | null
}

interface Choices {
  readonly random: Random
  readonly bytes: 'hex' | 'base64'
  readonly parts: RecordParts
  /** The message, or the variable of the innermost `exists`: its lists may be searched. */
  readonly inner: Node
  /** All whose values may be compared. */
  readonly nodes: readonly Node[]
  readonly depth: number
}

/** Something that a filter can name. */
interface Node {
  readonly path: FilterPair
  /** `undefined` for the value of the record. */
  readonly field: DescField | undefined
  readonly message: DescMessage | undefined
  /** Its value in the message that the filter is for, so that about half of the filters match. */
  readonly sample: unknown
}

export function randomFilter(
  random: Random,
  message: DescMessage,
  sample: Message | undefined,
  options: Pick<Choices, 'bytes' | 'parts'>,
): FilterPair {
  const value = { path: concat('value'), field: undefined, message, sample: sample && reflect(message, sample) }
  return condition({ ...options, random, inner: value, nodes: [value], depth: 3 })
}

function condition(choices: Choices): FilterPair {
  const { random, depth } = choices
  const inner = { ...choices, depth: depth - 1 }
  switch (depth > 0 ? random.integer(7) : 6) {
    case 0:
      return concat('(', condition(inner), ') && (', condition(inner), ')')
    case 1:
      return concat('(', condition(inner), ') || (', condition(inner), ') || (', condition(inner), ')')
    case 2:
      return concat('!(', condition(inner), ')')
    default:
      return random.integer(8) === 0 ? partCondition(choices) : nodeCondition(choices)
  }
}

const relations = ['==', '==', '==', '!=', '<', '<=', '>', '>=']
const equalities = ['==', '==', '!=']

function partCondition({ random, parts, bytes }: Choices): FilterPair {
  const relation = ` ${random.pick(relations)} `
  const equality = ` ${random.pick(equalities)} `
  switch (random.integer(5)) {
    case 0: {
      const { key } = parts
      if (key === null || random.integer(3) === 0) return concat('key', equality, 'null')
      return concat('key', relation, literal(random, key, bytes))
    }
    case 1:
      return concat('time', relation, timeLiteral(random, parts.time))
    case 2:
      return concat('op', equality, textLiteral(random, random.pick(['append', 'revert'])))
    case 3:
      return concat(random.pick(['unit == null', 'unit in [1, 7]', 'unit != null', 'unit == null || unit > 3']))
    default:
      return concat('unit', relation, `${random.integer(10)}`)
  }
}

function nodeCondition(choices: Choices): FilterPair {
  const { random, nodes, inner } = choices
  const node = random.integer(3) === 0 ? random.pick(nodes) : inner
  return conditionOn(node, choices, node === inner)
}

/** @param searched - Whether its lists may be searched. */
function conditionOn(node: Node, choices: Choices, searched: boolean): FilterPair {
  const { message, field } = node
  if (message && messageForm(message) === 'fields') return memberCondition(node, message, choices, searched)
  if (message) return wellKnownCondition(node, message, choices)
  return field!.enum ? enumCondition(node, field!, choices) : scalarCondition(node, field!, choices)
}

function memberCondition(node: Node, message: DescMessage, choices: Choices, searched: boolean): FilterPair {
  const { random } = choices
  const always = concat(random.pick(['true', 'false']))
  if (message.fields.length === 0) return always
  const field = random.pick(message.fields)
  const path = concat(node.path, `.${field.name}`)
  const kind = random.integer(8)
  if (kind === 0) return concat('has(', path, ')')
  if (kind === 1) return fieldComparison(node, message, choices) ?? always
  const sample = sampleOf(node, field)
  if (field.fieldKind === 'list') return listCondition(path, field, sample, choices, searched)
  if (field.fieldKind === 'map') return mapCondition(path, field, sample, choices)
  return conditionOn({ path: withExact(path, node, field), field, message: field.message, sample }, choices, searched)
}

function sampleOf(node: Node, field: DescField): unknown {
  const message = node.sample as ReflectMessage | undefined
  const exact = exactField(field)
  const bytes = exact && (message?.get(exact) as Uint8Array | undefined)
  return bytes && bytes.length > 0 ? BigInt(`0x${Buffer.from(bytes).toString('hex')}`) : message?.get(field)
}

function exactField(field: DescField): DescField | undefined {
  return field.parent.fields.find(({ name }) => name === `${field.name}Exact`)
}

/** CEL does not know that another field has the number. */
function withExact(path: FilterPair, node: Node, field: DescField): FilterPair {
  const exact = exactField(field)
  return exact ? { filter: path.filter, cel: `exact(${path.cel}, ${node.path.cel}.${exact.name})` } : path
}

/** Of two fields with values of the same kind. */
function fieldComparison(node: Node, message: DescMessage, { random }: Choices): FilterPair | undefined {
  const one = random.pick(message.fields)
  const others = message.fields.filter((field) => comparisonKind(field) === comparisonKind(one))
  const kind = comparisonKind(one)
  if (kind === undefined) return undefined
  const [left, right] = [one, random.pick(others)].map((field) =>
    withExact(concat(node.path, `.${field.name}`), node, field),
  )
  return concat(left!, ` ${random.pick(kind === 'bool' ? equalities : relations)} `, right!)
}

/** cel-es compares integers with doubles as doubles, so large ones are wrongly equal. */
function comparisonKind({ fieldKind, scalar }: DescField): string | undefined {
  if (fieldKind !== 'scalar') return undefined
  if (scalar === ScalarType.BOOL) return 'bool'
  if (scalar === ScalarType.STRING) return 'string'
  if (scalar === ScalarType.BYTES) return 'bytes'
  return scalar === ScalarType.DOUBLE || scalar === ScalarType.FLOAT ? 'double' : 'integer'
}

function listCondition(
  path: FilterPair,
  field: DescField & { fieldKind: 'list' },
  sample: unknown,
  choices: Choices,
  searched: boolean,
): FilterPair {
  const { random, nodes, depth, bytes } = choices
  const items = [...((sample as Iterable<unknown> | undefined) ?? [])]
  const item = items.length > 0 ? random.pick(items) : undefined
  const kind = random.integer(4)
  if (kind === 0) return concat('size(', path, `) ${random.pick(relations)} ${random.pick([items.length, 0, 1])}`)
  if (kind === 1 && field.listKind !== 'message') return concat(literalOf(random, field, item, bytes), ' in ', path)
  if (!searched) return concat(path, '.size() > 0')
  const name = `item${nodes.length}`
  const node: Node = { path: concat(name), field, message: field.message, sample: item }
  const body = condition({ ...choices, inner: node, nodes: [...nodes, node], depth: Math.min(depth, 2) - 1 })
  return concat(path, `.exists(${name}, `, body, ')')
}

function mapCondition(
  path: FilterPair,
  field: DescField & { fieldKind: 'map' },
  sample: unknown,
  choices: Choices,
): FilterPair {
  const { random, bytes } = choices
  const entries = [...((sample as Iterable<[unknown, unknown]> | undefined) ?? [])]
  const entry = entries.length > 0 ? random.pick(entries) : undefined
  const key = literalOf(random, { scalar: field.mapKey, enum: undefined }, entry?.[0], bytes)
  const kind = random.integer(4)
  if (kind === 0) return concat('size(', path, `) ${random.pick(relations)} ${random.pick([entries.length, 0, 1])}`)
  if (kind === 1) return concat(key, ' in ', path)
  const node = { path: concat(path, '[', key, ']'), field, message: field.message, sample: entry?.[1] }
  return conditionOn(node, choices, false)
}

function wellKnownCondition(
  { path, sample, field: of }: Node,
  message: DescMessage,
  { random, ...choices }: Choices,
): FilterPair {
  const form = messageForm(message)
  const inner = sample && typeof sample === 'object' && 'desc' in sample ? (sample as ReflectMessage) : undefined
  if (form === 'timestamp') {
    const [seconds, nanos] = message.fields.map((field) => inner?.get(field))
    const time = inner && { seconds: seconds as bigint, nanos: nanos as number }
    return concat(path, ` ${random.pick(relations)} `, timeLiteral(random, time))
  }
  if (form !== 'wrapper') return concat(random.pick(['true', 'false']))
  const isNullable = of?.fieldKind === 'message'
  if (isNullable && random.integer(3) === 0) return concat(path, ` ${random.pick(equalities)} null`)
  const field = message.fields[0]!
  const value = { path, field, message: undefined, sample: inner ? inner.get(field) : sample }
  return scalarCondition(value, field, { ...choices, random })
}

function enumCondition({ path, sample }: Node, field: DescField, { random }: Choices): FilterPair {
  const number = typeof sample === 'number' && random.integer(3) > 0 ? sample : random.pick(field.enum!.values).number
  const named = field.enum!.values.filter((value) => value.number === number)
  if (named.length === 0 || random.integer(3) === 0) return concat(path, ` ${random.pick(relations)} ${number}`)
  const name = { filter: `"${random.pick(named).name}"`, cel: `${number}` }
  return random.integer(3) === 0 ? concat(path, ' in [', name, ']') : concat(path, ` ${random.pick(equalities)} `, name)
}

function scalarCondition({ path, sample }: Node, field: LiteralType, { random, bytes }: Choices): FilterPair {
  const { scalar } = field
  const isText = scalar === ScalarType.STRING || scalar === ScalarType.BYTES
  const relation = ` ${random.pick(scalar === ScalarType.BOOL ? equalities : relations)} `
  switch (random.integer(7)) {
    case 0: {
      const items = Array.from({ length: random.integer(4) }, () => literalOf(random, field, sample, bytes))
      return concat(path, ' in [', ...items.flatMap((item, index) => (index === 0 ? [item] : [', ', item])), ']')
    }
    case 1:
      if (isText) return concat('size(', path, `) ${random.pick(relations)} ${random.integer(12)}`)
      break
    case 2:
      if (isText) {
        const part = literal(
          random,
          partOf(random, sample ?? (scalar === ScalarType.BYTES ? new Uint8Array() : '')),
          bytes,
        )
        return concat(path, `.${random.pick(['startsWith', 'endsWith', 'contains'])}(`, part, ')')
      }
      break
    case 3:
      if (scalar === ScalarType.STRING)
        return concat('int(', path, `) ${random.pick(relations)} ${random.integer(3) - 1}`)
      return concat(literalOf(random, field, sample, bytes), relation, path)
  }
  if (scalar === ScalarType.BOOL && random.integer(2) === 0) return path
  return concat(path, relation, literalOf(random, field, sample, bytes))
}

/** Of characters, each of at most 4 bytes: `contains` looks for 128 bytes. */
const longPart = 32

function partOf(random: Random, sample: unknown): string | Uint8Array {
  const items = sample instanceof Uint8Array ? sample : [...String(sample)]
  const start = random.pick([0, random.integer(items.length + 1)])
  const part = items.slice(start, random.pick([start + longPart, start + random.integer(4)]))
  return part instanceof Uint8Array ? part : part.join('')
}
