import type { Answers } from '../project/answers.ts'
import type { ProjectFile } from '../project/project-file.ts'
import { chooseEvents } from './choose-events.ts'
import { checkAddress } from './contract-address.ts'
import { chooseContractName } from './contract-name.ts'
import { toMessages } from './event-message.ts'
import { makeEventsFile } from './events-file.ts'
import { fillLines, fillWords } from './fill-in.ts'
import { makeRecording } from './made-up-recording.ts'
import { addressLines, topicLines, topicName } from './manifest-lines.ts'
import { makeProto } from './proto-file.ts'
import { readAbi } from './read-abi.ts'

/**
 * Makes the files of a project that depend on its contract: the ABI, the .proto with a message for each event, the list of
 * events to decode, a recording with some of them, and the files of the template that name contract, topics or address.
 *
 * @param template - The files of the template, with all other tokens filled in.
 * @throws {UserError} `invalid_abi`, `unknown_event`, `anonymous_event`, `invalid_contract`, `invalid_address`
 */
export async function contractFiles(
  { contract: asked = {} }: Answers,
  template: readonly ProjectFile[],
): Promise<readonly ProjectFile[]> {
  const abi = await readAbi(asked.abi)
  const events = chooseEvents(abi, asked.events)
  const contract = chooseContractName(asked.contract, abi.contractName)
  const address = asked.address === undefined ? undefined : checkAddress(asked.address)
  const messages = toMessages(events)
  const words = { contract, address: address ?? exampleAddress }
  const lines = {
    topics: topicLines(contract, messages),
    addressDefault: addressLines(address),
    eventRows: messages.map(
      ({ event, topicEvent }) => `| \`${topicName(contract, topicEvent)}\` | \`${event.format('full')}\` |`,
    ),
  }
  return [
    ...template.map(({ path, content }) => ({ path, content: fillWords(fillLines(content, lines), words) })),
    { path: `abi/${contract}.json`, content: `${JSON.stringify(abi.entries, undefined, 2)}\n` },
    { path: `proto/${contract}.proto`, content: makeProto(contract, messages) },
    { path: 'src/events.ts', content: makeEventsFile(contract, messages, abi.source) },
    { path: 'recorded/events.json', content: makeRecording(events, address) },
  ]
}

const exampleAddress = `0x${'0'.repeat(40)}`
