import { keccak_256 } from '@noble/hashes/sha3.js'
import { type AbiEvent, type AbiParameter, parseAbiItem } from 'abitype'
import { toHex } from './topic.ts'

export interface DeclaredEvent {
  /** Keccak-256 of its signature. */
  readonly topic: string
  readonly indexed: readonly AbiParameter[]
  /** In the data of a log, in order. */
  readonly plain: readonly AbiParameter[]
}

/**
 * @param text In Solidity, with or without `event` in front. Structs are written as tuples, with or without `tuple`.
 * @returns the problem if it is not the declaration of an event with a signature.
 */
export function parseDeclaration(text: string): DeclaredEvent | string {
  const plain = text
    .trim()
    .replace(/;$/, '')
    .replace(/^event\s+/, '')
  if (/\)\s*anonymous$/.test(plain))
    return 'it is anonymous, so its logs do not name it. Select its contract without an event'
  const event = parseEvent(`event ${withMarkedNames(plain.replaceAll(/([(,]\s*)tuple\(/g, '$1('))}`)
  if (typeof event === 'string') return event
  const { name } = event
  const inputs = event.inputs.map(withoutMark)
  const indexed = inputs.filter((input) => input.indexed)
  if (indexed.length > mostIndexed)
    return `it has ${indexed.length} indexed parameters, and a log has at most ${mostIndexed}`
  const signature = `${name}(${inputs.map(typeOf).join(',')})`
  return {
    topic: toHex(keccak_256(Buffer.from(signature))),
    indexed,
    plain: inputs.filter((input) => !input.indexed),
  }
}

const mostIndexed = 3

/** The parser refuses words of Solidity as names, which contracts in other languages have. */
function withMarkedNames(text: string): string {
  return text.replaceAll(name, (found) => (found === 'indexed' ? found : `${found}${mark}`))
}

/** A word after another one, at the end of a parameter. */
const name = /(?<=[^\s(,]\s+)[A-Za-z_$][\w$]*(?=\s*[,)])/g
const mark = '$'

function withoutMark<T extends AbiParameter>(parameter: T): T {
  const { name } = parameter
  return name?.endsWith(mark) ? { ...parameter, name: name.slice(0, -1) } : parameter
}

function parseEvent(text: string): AbiEvent | string {
  try {
    // Given as `never`, because the type of a parsed text is only known for literals.
    return parseAbiItem(text as never) as AbiEvent
  } catch (error) {
    return (error as Error).message.split('\n')[0]!.replace(/\.$/, '')
  }
}

/** As it is in a signature: structs as lists of types. */
function typeOf(parameter: AbiParameter): string {
  if (!('components' in parameter)) return parameter.type
  return `(${parameter.components.map(typeOf).join(',')})${parameter.type.slice('tuple'.length)}`
}

/**
 * Bytes that a parameter takes among the fixed-size parts of encoded parameters (Solidity ABI specification, "Formal
 * specification of the encoding").
 */
export function headBytes(parameter: AbiParameter): number {
  return isDynamic(parameter) ? wordBytes : staticBytes(parameter)
}

const wordBytes = 32

function isDynamic(parameter: AbiParameter): boolean {
  if (/\[\]/.test(parameter.type) || parameter.type === 'string' || parameter.type === 'bytes') return true
  const [base] = parameter.type.split('[')
  if (base === 'string' || base === 'bytes') return true
  return 'components' in parameter && parameter.components.some(isDynamic)
}

function staticBytes(parameter: AbiParameter): number {
  const lengths = [...parameter.type.matchAll(/\[(\d+)\]/g)].map(([, length]) => Number(length))
  const one =
    'components' in parameter ? parameter.components.reduce((sum, each) => sum + staticBytes(each), 0) : wordBytes
  return lengths.reduce((bytes, length) => bytes * length, one)
}
