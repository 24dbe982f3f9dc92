import { UserError } from '@headrace/queue'
import { EventFragment, getAddress, isAddress, type ParamType } from 'ethers'
import type { ContractAnswers } from '../project/answers.ts'
import type { ProjectFile } from '../project/write-project.ts'
import type { Tokens } from '../template/template.ts'
import { chooseEvents } from './choose-events.ts'
import { type EventField, type EventMessage, toMessages } from './event-message.ts'
import { makeRecording } from './made-up-recording.ts'
import { makeProto } from './proto-file.ts'
import { invalidAbi, readAbi } from './read-abi.ts'

export interface ContractFiles {
  /** For the files of the template. */
  readonly tokens: Tokens
  readonly files: readonly ProjectFile[]
}

export async function contractFiles(given: ContractAnswers): Promise<ContractFiles> {
  const abi = await readAbi(given.abi)
  const events = chooseEvents(abi, given.events)
  const contract = chooseContractName(given.contract, abi.contractName)
  const address = given.address === undefined ? undefined : checkAddress(given.address)
  const messages = toMessages(events)
  const eventRows = messages.map(
    ({ event, topicEvent }) => `| \`${topicName(contract, topicEvent)}\` | \`${event.format('full')}\` |`,
  )
  return {
    tokens: {
      contract,
      address: address ?? exampleAddress,
      addressDefault: address === undefined ? '' : `      default: "${address}"`,
      topics: topicLines(contract, messages).join('\n'),
      eventRows: eventRows.join('\n'),
    },
    files: [
      { path: `abi/${contract}.json`, content: `${JSON.stringify(abi.entries, undefined, 2)}\n` },
      { path: `proto/${contract}.proto`, content: makeProto(contract, messages) },
      { path: 'src/events.ts', content: makeEventsFile(contract, messages, abi.source) },
      { path: 'recorded/events.json', content: makeRecording(events, address) },
    ],
  }
}

const exampleAddress = `0x${'0'.repeat(40)}`

/** Default: the name in the ABI, without characters that are not allowed. */
export function chooseContractName(given: string | undefined, ofAbi: string | undefined): string {
  const name = given ?? nearest(ofAbi ?? '')
  if (shape.test(name) && name.toLowerCase() !== reserved) return name
  throw new UserError(
    'invalid_contract',
    `"${name}" is not a valid name of a contract in topics and files. --contract must be a letter and then letters, ` +
      `digits, "-" and "_", and not ${reserved}.`,
  )
}

const shape = /^[A-Za-z][A-Za-z0-9_-]*$/
/** The name of another generated file. */
const reserved = 'schema'

function nearest(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').replaceAll(/^[^A-Za-z]+|[_-]+$/g, '') || 'contract'
}

/** Checks an address, and its checksum (EIP-55) if it has one. */
export function checkAddress(address: string): string {
  if (/^0x[0-9a-fA-F]{40}$/.test(address)) {
    if (isAddress(address)) return getAddress(address)
    throw invalid(
      address,
      `its checksum (EIP-55) is wrong. Check each character. An address in lower case is not checked`,
    )
  }
  throw invalid(address, /^0x[0-9a-fA-F]*$/.test(address) ? `it has ${address.length - 2} hex digits` : 'it is not hex')
}

function invalid(address: string, problem: string): UserError {
  return new UserError(
    'invalid_address',
    `"${address}" is not the address of a contract: ${problem}. --address must be 0x and 40 hex digits.`,
  )
}

function topicLines(contract: string, messages: readonly EventMessage[]): string[] {
  return messages.flatMap(({ message, topicEvent }) => [
    `  - message: ${message}`,
    `    name: ${topicName(contract, topicEvent)}`,
    '    key: TransactionHash',
    '    bytes: hex',
  ])
}

function topicName(contract: string, topicEvent: string): string {
  return `${contract}_${topicEvent}`
}

function makeEventsFile(contract: string, messages: readonly EventMessage[], source: string): string {
  const lines = messages.map((each) => `  ${each.message}: '${declareEvent(each, source)}',`)
  return [
    "import type { Messages } from './generated/schema.ts'",
    '',
    '/**',
    ` * The published events, by the name of the message in proto/${contract}.proto. A parameter has the name of its field`,
    ' * there. To publish another event, add it here, its message there, and its topic in manifest.yaml.',
    ' */',
    'export const events = {',
    ...lines,
    '} as const satisfies Partial<Record<keyof Messages, string>>',
    '',
  ].join('\n')
}

/** In Solidity. Throws `invalid_abi` if it cannot be declared, e.g. because its name is `tuple`. */
export function declareEvent({ event, fields }: EventMessage, source: string): string {
  const declaration = `event ${event.name}(${fields.map(declareParam).join(', ')})`
  if (topicOf(declaration) === event.topicHash) return declaration
  throw invalidAbi(source, `its event "${event.name}" cannot be declared as "${declaration}". Exclude it with --events`)
}

function declareParam({ name, param, components }: EventField): string {
  return `${typeOf(param, components)}${param.indexed ? ' indexed' : ''} ${name}`
}

function typeOf(param: ParamType, components: readonly EventField[]): string {
  if (param.isArray()) {
    const length = param.arrayLength === -1 ? '' : param.arrayLength
    return `${typeOf(param.arrayChildren, components)}[${length}]`
  }
  return param.isTuple() ? `tuple(${components.map(declareParam).join(', ')})` : param.type
}

function topicOf(declaration: string): string | undefined {
  try {
    return EventFragment.from(declaration).topicHash
  } catch {
    return undefined
  }
}
