import type { AnswerScanner, Members, Scanned } from './answer-scanner.ts'
import type { Measure } from './message-table.ts'

const legacy = ['nonce', 'gasPrice', 'gas', 'to', 'value', 'input', 'v', 'r', 's']
const typed = ['chainId', 'nonce', 'gas', 'to', 'value', 'input', 'accessList', 'yParity', 'r', 's']
const dynamicFees = ['maxPriorityFeePerGas', 'maxFeePerGas']
/** What is signed, and the signature, by type: EIP-2718, 2930, 1559, 4844 and 7702. */
const signedMembers = [
  legacy,
  [...typed, 'gasPrice'],
  [...typed, ...dynamicFees],
  [...typed, ...dynamicFees, 'maxFeePerBlobGas', 'blobVersionedHashes'],
  [...typed, ...dynamicFees, 'authorizationList'],
]
const dataMembers = new Set(['to', 'input', 'address'])

/**
 * Measures the consensus encoding of a transaction in bytes (EIP-2718), without the blobs of a blob transaction. 0 for
 * other types than those of Ethereum.
 */
export function signedSize(members: Members): Measure {
  const type = members.names.indexOf('type')
  const byType = signedMembers.map((names) => names.map((name) => measureMember(members, name)))
  return (scanner, transaction) => {
    const number = typeOf(scanner, transaction, type)
    const measures = byType[number]
    if (!measures) return 0
    return (number === 0 ? 0 : 1) + listLength(sum(measures, scanner, transaction))
  }
}

/** -1: above 15. Its digits are checked elsewhere. */
function typeOf(scanner: AnswerScanner, transaction: Scanned, member: number): number {
  const end = scanner.end(transaction, member)
  if (end < 0) return 0
  const count = significantDigits(scanner.bytes, scanner.start(transaction, member), end)
  return count === 0 ? 0 : count === 1 ? scanner.bytes[end - 1]! - digitZero : -1
}

function measureMember(members: Members, name: string): Measure {
  const member = members.names.indexOf(name)
  const shape = members.shapes[member]
  if (typeof shape === 'object') {
    const tuple = shape.names.filter((each) => each !== 'v').map((each) => measureMember(shape, each))
    return listOf((scanner, element) => listLength(sum(tuple, scanner, element)), member)
  }
  if (shape === 'texts') return listOf((scanner, element) => textLength(scanner, element, 0, true), member)
  const isData = dataMembers.has(name)
  const otherwise = name === 'yParity' ? members.names.indexOf('v') : -1
  return (scanner, object) => {
    const found = otherwise >= 0 && scanner.end(object, member) < 0 ? otherwise : member
    return textLength(scanner, object, found, isData)
  }
}

function listOf(measure: Measure, member: number): Measure {
  return (scanner, object) => {
    const count = scanner.end(object, member)
    let element = scanner.start(object, member)
    let payload = 0
    for (let index = 0; index < count; index++) {
      payload += measure(scanner, element)
      element = scanner.next(element)
    }
    return listLength(payload)
  }
}

function sum(measures: readonly Measure[], scanner: AnswerScanner, object: Scanned): number {
  let payload = 0
  for (const measure of measures) payload += measure(scanner, object)
  return payload
}

/** Of data, or of a quantity, which is encoded without leading zeros. A byte below 0x80 is encoded as itself. */
function textLength(scanner: AnswerScanner, object: Scanned, member: number, isData: boolean): number {
  const end = scanner.end(object, member)
  if (end < 0) return 1
  const { bytes } = scanner
  const start = scanner.start(object, member)
  const digits = isData ? end - start - 2 : significantDigits(bytes, start, end)
  const length = (digits + 1) >> 1
  const isItself = length === 1 && (digits === 1 || bytes[end - 2]! < digitEight)
  return isItself ? 1 : prefixLength(length) + length
}

function significantDigits(bytes: Uint8Array, start: number, end: number): number {
  let first = start + 2
  while (first < end && bytes[first] === digitZero) first++
  return end - first
}

const digitZero = 48
const digitEight = 56

function listLength(payload: number): number {
  return prefixLength(payload) + payload
}

function prefixLength(payload: number): number {
  if (payload < 56) return 1
  let length = 1
  for (let rest = payload; rest > 0; rest = Math.floor(rest / 256)) length++
  return length
}
