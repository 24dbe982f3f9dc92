import { AbiCoder, EventFragment, keccak256, type ParamType } from 'ethers'
import type { EmittedLog } from '../../testbed/chain/emitter.ts'

/** Events with parameters of all kinds, as Solidity declares them. */
export const anyEvents: readonly string[] = [
  'event Plain(bool flag, uint8 small, uint64 wide, uint72 wider, int8 tiny, int64 negative, int256 huge, bytes4 four)',
  'event Long(bytes raw, string text, uint256[] list, address[2] pair)',
  'event Hashed(string indexed name, bytes indexed raw, uint256[] indexed list)',
  'event HashedTuple(tuple(uint256 a, string b) indexed key, uint256 value)',
  'event Order(tuple(uint256 id, string[] tags, tuple(int64 x, bytes32 y)[2] points) item, tuple(address a, uint256 b)[] items)',
  'event Matrix(uint256[][] matrix, uint8[2][] pairs, tuple(uint256 v)[][][] deep)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
  'event Transfer(address from, bytes data)',
  'event Config(uint256 ts, uint256 blockNumber, uint256 BlockNumber, uint256 indexed_, uint256 _x, uint256 x)',
  'event number(uint256, uint256, string constructor_, uint256 toString)',
  'event Empty()',
  'event new_owner_(address indexed $who)',
]

/** The log of an event with the smallest or largest integers, and lists of no or two elements. */
export function extremeLog(event: EventFragment, extreme: 'least' | 'most'): EmittedLog {
  const values = event.inputs.map((param) => extremeValue(param, extreme))
  const encode = (params: readonly ParamType[], of: readonly unknown[]) => coder.encode(params, of)
  const topics = event.inputs.flatMap((param, index) => {
    if (!param.indexed) return []
    const encoded = encode([param], [values[index]])
    return [['string', 'bytes', 'array', 'tuple'].includes(param.baseType) ? keccak256(encoded) : encoded]
  })
  const isPlain = (_: unknown, index: number) => !event.inputs[index]!.indexed
  return { topics: [event.topicHash, ...topics], data: encode(event.inputs.filter(isPlain), values.filter(isPlain)) }
}

const coder = AbiCoder.defaultAbiCoder()

function extremeValue(param: ParamType, extreme: 'least' | 'most'): unknown {
  const isMost = extreme === 'most'
  if (param.isArray()) {
    const length = param.arrayLength === -1 ? (isMost ? 2 : 0) : param.arrayLength!
    return Array.from({ length }, () => extremeValue(param.arrayChildren, extreme))
  }
  if (param.isTuple()) return param.components.map((each) => extremeValue(each, extreme))
  const [, kind, size] = /^([a-z]+)(\d*)$/.exec(param.type)!
  const bits = BigInt(size || 0)
  switch (kind) {
    case 'uint':
      return isMost ? 2n ** bits - 1n : 0n
    case 'int':
      return isMost ? 2n ** (bits - 1n) - 1n : -(2n ** (bits - 1n))
    case 'bool':
      return isMost
    case 'string':
      return isMost ? `${'long '.repeat(20)}größer 🪙` : ''
    case 'address':
      return `0x${(isMost ? 'ff' : '00').repeat(20)}`
    default:
      return `0x${(isMost ? 'ff' : '00').repeat(size === '' ? (isMost ? 70 : 0) : Number(size))}`
  }
}

/** In the JSON form of compilers. */
export function anyAbi(): object[] {
  return anyEvents.map((declaration) => {
    const event = EventFragment.from(declaration)
    const { inputs } = JSON.parse(event.format('json')) as { inputs: object[] }
    // ethers leaves it out for arrays.
    const indexed = inputs.map((input, index) => ({ ...input, indexed: event.inputs[index]!.indexed === true }))
    return { type: 'event', name: event.name, anonymous: false, inputs: indexed }
  })
}
