import { readFile } from 'node:fs/promises'
import type { RpcLog } from '@headrace/evm'
import { type Recording, readRecording, reorganise, serveRecording } from '@headrace/evm/recorded'
import { createTestProject, type TestProject, testConnector } from '@headrace/sdk/testing'
import { EventFragment, Indexed, Interface, type ParamType } from 'ethers'
import { expect, test } from 'vitest'
import connector from '../src/connector.ts'
import { events } from '../src/events.ts'

const folder = new URL('..', import.meta.url)
const abi = new Interface(await readFile(new URL('abi/{{contract}}.json', folder), 'utf8'))
const recording = await readRecording(new URL('recorded/events.json', folder))
const end = Number(recording.blocks.at(-1)?.block.number)
/** More events need a larger stride, so that the fault test does not take longer. */
const lastLogs = recording.blocks.slice(-2).flatMap(({ receipts = [] }) => receipts.flatMap(({ logs }) => logs))

test('every event of the recording is published once, in order, as the ABI decodes it', async () => {
  await using project = await createTestProject(folder, { settings: { end } })
  await project.run(connector, { stopAfter: 5 })
  await project.run(connector)

  for (const [message, declaration] of Object.entries(events)) {
    const fragment = fragmentOf(declaration)
    const logs = logsOf(recording, declaration, project)
    expect(logs).not.toHaveLength(0)
    const published = (await project.records(message)).map(({ key, value }) => ({ key, ...partsOf(value) }))
    expect(published).toEqual(
      logs.map((log) => ({
        key: log.transactionHash,
        place: [log.blockNumber, log.blockHash, log.transactionHash, log.logIndex, log.address],
        fields: leaves(abi.decodeEventLog(fragment, log.data, log.topics)),
      })),
    )
  }
}, 60_000)

test('a reorganisation reverts the removed events, newest first, and publishes those that replace them', async () => {
  await using node = await serveRecording(recording)
  await using project = await createTestProject(folder, { settings: { rpc: node.rpc, start: 'earliest', end } })
  await project.run(connector)
  const other = reorganise(recording, 4)
  const isReplaced = ({ blockNumber }: PlacedLog) => Number(blockNumber) > end - 4
  node.serve(other)
  await project.run(connector)

  for (const [message, declaration] of Object.entries(events)) {
    const published = logsOf(recording, declaration, project)
    const gone = published.filter(isReplaced)
    const instead = logsOf(other, declaration, project).filter(isReplaced)
    expect((await project.records(message)).map(({ op, value }) => [op, partsOf(value).place[1]])).toEqual([
      ...published.map(({ blockHash }) => ['append', blockHash]),
      ...gone.reverse().map(({ blockHash }) => ['revert', blockHash]),
      ...instead.map(({ blockHash }) => ['append', blockHash]),
    ])
  }
}, 60_000)

test('every event is published exactly once, whatever fails, across a reorganisation', async () => {
  await using node = await serveRecording(recording)
  await testConnector({
    connector,
    folder,
    settings: { rpc: node.rpc, start: end - 1, end },
    states: [() => node.serve(recording), () => node.serve(reorganise(recording, 1))],
    stride: Math.max(4, Math.ceil(lastLogs.length / 2)),
  })
}, 600_000)

/** A log as nodes return it, with its position. */
type PlacedLog = RpcLog & {
  blockNumber: string
  blockHash: string
  transactionHash: string
  topics: string[]
  data: string
}

/** The logs of an event in a recording, of the contracts in the setting `address`. */
function logsOf({ blocks }: Recording, declaration: string, { settings }: TestProject): PlacedLog[] {
  const { topicHash, inputs } = fragmentOf(declaration)
  const wanted = [settings.values.address ?? []].flat().map((address) => String(address).toLowerCase())
  const logs = blocks.flatMap(({ receipts = [] }) => receipts.flatMap(({ logs }) => logs as PlacedLog[]))
  return logs.filter(
    ({ topics, address }) =>
      topics[0] === topicHash &&
      topics.length === 1 + indexedOf(inputs) &&
      (wanted.length === 0 || wanted.includes(address)),
  )
}

/** The event in the ABI that a declaration describes. */
function fragmentOf(declaration: string): EventFragment {
  const { topicHash, inputs } = EventFragment.from(declaration)
  const events = abi.fragments.filter((fragment) => EventFragment.isFragment(fragment))
  const found = events.find((each) => each.topicHash === topicHash && indexedOf(each.inputs) === indexedOf(inputs))
  return found ?? expect.fail(`The ABI has no ${declaration}.`)
}

function indexedOf(inputs: readonly ParamType[]): number {
  return inputs.filter(({ indexed }) => indexed).length
}

/** Splits a published value into the position of its log, as nodes write it, and the values of its event. */
function partsOf(value: unknown) {
  const {
    ts: _,
    BlockNumber,
    BlockHash,
    TransactionHash,
    LogIndex,
    Address,
    ...fields
  } = value as Record<string, unknown>
  const place = [quantity(BlockNumber), BlockHash, TransactionHash, quantity(LogIndex), Address]
  return { place, fields: leaves(fields) }
}

function quantity(value: unknown): string {
  return `0x${Number(value).toString(16)}`
}

/** All nested values in order, without the structure around them, to compare published values with those of ethers. */
function leaves(value: unknown): string[] {
  if (Array.isArray(value)) return [...value].flatMap(leaves)
  if (value instanceof Indexed) return [String(value.hash)]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leaves)
  return [String(value).toLowerCase()]
}
