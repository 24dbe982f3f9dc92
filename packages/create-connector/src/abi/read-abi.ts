import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { UserError } from '@headrace/queue'
import { EventFragment, Interface } from 'ethers'

/** Without a file: the ABI of an ERC-20 token. */
export async function readAbi(file: string | undefined): Promise<Abi> {
  const source = file ?? 'The ABI of ERC-20'
  const { entries, contractName } = file === undefined ? erc20 : findEntries(await readJson(file), file)
  return { source, contractName: contractName ?? nameOf(file), entries, events: readEvents(entries, source) }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    const message = `${file} cannot be read: ${error.message}. --abi must be the path of a file with an ABI as JSON.`
    throw new UserError('invalid_abi', message, { cause: error })
  })
  try {
    return JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch (error) {
    throw invalidAbi(file, `it is not JSON: ${(error as Error).message}`)
  }
}

/** `out/Token.sol/Token.json` is the ABI of the contract `Token`. */
function nameOf(file: string | undefined): string | undefined {
  return file && basename(file, extname(file)).replace(/\.abi$/, '')
}

export interface Abi {
  readonly source: string
  readonly contractName: string | undefined
  readonly entries: readonly unknown[]
  /** In order, without duplicates. */
  readonly events: readonly EventFragment[]
}

type AbiEntries = Pick<Abi, 'entries'> & Partial<Pick<Abi, 'contractName'>>

/** A list, an artifact with `abi` (Hardhat, Foundry, Truffle), or a response of Etherscan with `result`. */
function findEntries(value: unknown, source: string): AbiEntries {
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
  throw invalidAbi(source, `it contains ${describe(value)}`)
}

function parseList(text: string, source: string, place: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return value
  } catch {}
  throw invalidAbi(source, `its "${place}" is the text ${JSON.stringify(shortened(text))}`)
}

function describe(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return `${JSON.stringify(value)}, which is neither a list nor an object`
  const names = Object.keys(value)
  if ('abi' in value) return `an object whose "abi" is not a list but ${shortened(JSON.stringify(value.abi))}`
  return names.length === 0 ? 'an empty object' : `an object with ${shortened(names.join(', '))} and no "abi"`
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** Without duplicates: the merged ABI of several contracts may have some. */
function readEvents(entries: readonly unknown[], source: string): EventFragment[] {
  const events = new Map<string, EventFragment>()
  for (const [index, entry] of entries.entries()) {
    if (!isEntry(entry)) throw invalidAbi(source, `its entry ${index} is ${JSON.stringify(entry)}`)
    if (!isEvent(entry)) continue
    const event = readEvent(entry, index, source)
    const same = events.get(logFormOf(event))
    if (same && !haveSameLayout(same, event))
      throw invalidAbi(source, `${same.format('full')} and ${event.format('full')} cannot be distinguished in a log`)
    if (!same) events.set(logFormOf(event), event)
  }
  if (events.size === 0) throw invalidAbi(source, `it has ${entries.length} entries, and none of them is an event`)
  return [...events.values()]
}

type Entry = string | { readonly type?: unknown; readonly name?: unknown }

function isEntry(entry: unknown): entry is Entry {
  return typeof entry === 'string' || (typeof entry === 'object' && entry !== null && !Array.isArray(entry))
}

function isEvent(entry: Entry): boolean {
  return typeof entry === 'string' ? entry.trimStart().startsWith('event ') : entry.type === 'event'
}

function readEvent(entry: Entry, index: number, source: string): EventFragment {
  try {
    return EventFragment.from(entry)
  } catch (error) {
    const name = typeof entry === 'string' ? entry : entry.name
    const { shortMessage, message } = error as Error & { shortMessage?: string }
    throw invalidAbi(
      source,
      `its entry ${index}, the event ${JSON.stringify(name)}, cannot be read: ${shortMessage ?? message}`,
    )
  }
}

/** Distinguishes events in a log. An anonymous event has no hash there. */
function logFormOf({ anonymous, topicHash, inputs }: EventFragment): string {
  return `${anonymous} ${topicHash} ${inputs.filter(({ indexed }) => indexed).length}`
}

function haveSameLayout(left: EventFragment, right: EventFragment): boolean {
  return left.inputs.every(({ indexed }, index) => indexed === right.inputs[index]?.indexed)
}

const standard = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
])

const erc20: AbiEntries = { contractName: 'erc20', entries: JSON.parse(standard.formatJson()) }

export function invalidAbi(source: string, problem: string): UserError {
  return new UserError(
    'invalid_abi',
    `${source} has no usable ABI: ${problem}. --abi must be a JSON file of a compiler or a block explorer: a list of ` +
      'functions and events, or an object with such a list as "abi".',
  )
}
