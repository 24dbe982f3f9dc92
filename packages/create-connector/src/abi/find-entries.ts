import { invalidAbi } from './invalid-abi.ts'

/** The list of an ABI, and what the file around it says of the contract. */
export interface AbiEntries {
  readonly entries: readonly unknown[]
  readonly contractName?: string | undefined
}

/**
 * Finds the list in what a file holds: the list itself, `abi` of an artifact (Hardhat, Foundry, Truffle), or `result` of
 * an answer of Etherscan, as text or as its sources.
 *
 * @throws {UserError} `invalid_abi`
 */
export function findEntries(value: unknown, source: string): AbiEntries {
  if (Array.isArray(value)) return { entries: value }
  const { abi, contractName, result } = Object(value) as Readonly<Record<string, unknown>>
  const name = typeof contractName === 'string' && contractName !== '' ? contractName : undefined
  if (Array.isArray(abi)) return { entries: abi, contractName: name }
  if (typeof result === 'string') return { entries: parseList(result, source, 'result') }
  const [first] = Array.isArray(result) ? result : []
  const { ABI, ContractName } = Object(first) as Readonly<Record<string, unknown>>
  if (typeof ABI === 'string') {
    return { entries: parseList(ABI, source, 'result[0].ABI'), contractName: String(ContractName) }
  }
  throw invalidAbi(source, `it holds ${describe(value)}`)
}

function parseList(text: string, source: string, place: string): readonly unknown[] {
  const value = parse(text)
  if (Array.isArray(value)) return value
  throw invalidAbi(source, `its "${place}" is the text ${JSON.stringify(shortened(text))}`)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return `${JSON.stringify(value)}, which is neither a list nor an object`
  const names = Object.keys(value)
  if ('abi' in value) return `an object whose "abi" is no list but ${shortened(JSON.stringify(value.abi))}`
  return names.length === 0 ? 'an empty object' : `an object with ${shortened(names.join(', '))} and no "abi"`
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
