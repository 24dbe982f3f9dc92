import { dataSlice, id, type ParamType } from 'ethers'

/** A value that a parameter could have. The same label gives the same one. */
export function madeUpValue(param: ParamType, label: string): unknown {
  if (param.isArray()) {
    const length = param.arrayLength === -1 ? 1 + Number(dice(label, 3n)) : param.arrayLength!
    return Array.from({ length }, (_, index) => madeUpValue(param.arrayChildren, `${label}[${index}]`))
  }
  if (param.isTuple()) return param.components.map((each, index) => madeUpValue(each, `${label}.${index}`))
  const [, kind, size] = /^([a-z]+)(\d*)$/.exec(param.type)!
  switch (kind) {
    case 'address':
      return madeUpAddress(`account ${dice(label, accounts)}`)
    case 'bool':
      return dice(label, 2n) === 1n
    case 'string':
      return words[Number(dice(label, BigInt(words.length)))]
    case 'bytes':
      return dataSlice(id(label), 0, size === '' ? Number(dice(label, 32n)) : Number(size))
    default:
      return integer(label, Number(size), kind === 'int')
  }
}

/** An address that nobody has the key of. */
export function madeUpAddress(label: string): string {
  return dataSlice(id(label), 12)
}

const accounts = 6n
const words = ['first', 'second', 'something longer than what one word of a log holds', '', 'größer']

/** Those of 8 bits mostly stand for one of a few things, and large ones for amounts with 18 decimals. */
function integer(label: string, bits: number, isSigned: boolean): bigint {
  const magnitude = bits === 8 ? 4n : bits <= 64 ? 2n ** BigInt(bits - 1) : 10n ** 22n
  const value = dice(label, magnitude < 2n ** BigInt(bits - 1) ? magnitude : 2n ** BigInt(bits - 1))
  return isSigned && dice(`${label} sign`, 2n) === 1n ? -value : value
}

/** A number from 0 on, below `sides`. */
function dice(label: string, sides: bigint): bigint {
  return BigInt(id(label)) % sides
}
