import { UserError } from '@headrace/queue'
import { getAddress, isAddress } from 'ethers'
import type { ContractAnswers } from '../project/answers.ts'
import type { ProjectFile } from '../project/project-file.ts'
import type { Tokens } from '../template/template.ts'
import { chooseEvents } from './choose-events.ts'
import { type EventMessage, toMessages } from './event-message.ts'
import { makeEventsFile } from './events-file.ts'
import { makeRecording } from './made-up-recording.ts'
import { makeProto } from './proto-file.ts'
import { readAbi } from './read-abi.ts'

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
