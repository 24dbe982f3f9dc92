import { readRecording, reorganise, serveRecording } from '@headrace/evm/recorded'
import { createTestProject, testConnector } from '@headrace/sdk/testing'
import { expect, test } from 'vitest'
import connector from '../src/connector.ts'

const folder = new URL('..', import.meta.url)
const recording = await readRecording(new URL('recorded/blocks.json', folder))
const blocks = recording.blocks.map(({ block }) => block)
const end = Number(blocks.at(-1)?.number)

test('every block and transaction of the recording is published once, in order', async () => {
  await using project = await createTestProject(folder, { settings: { end } })
  await project.run(connector, { stopAfter: 5 })
  await project.run(connector)

  const published = await project.records('Block')
  expect(published.map(({ key }) => key)).toEqual(blocks.map(({ hash }) => hash))
  expect(published.map(({ value }) => value)).toEqual(
    blocks.map(({ number, transactions }) =>
      expect.objectContaining({ Number: String(Number(number)), TransactionCount: transactions.length }),
    ),
  )
  const transactions = await project.records('Transaction')
  expect(transactions.map(({ key, unit }) => [key, unit])).toEqual(
    blocks.flatMap(({ transactions }, index) => transactions.map(({ hash }) => [hash, index + 1])),
  )
})

test('a reorganisation reverts the removed blocks, newest first, and publishes those that replace them', async () => {
  await using node = await serveRecording(recording)
  const settings = { rpc: node.rpc, chain: 'test', start: end - 3, end }
  await using project = await createTestProject(folder, { settings })
  await project.run(connector)
  const other = reorganise(recording, 2)
  node.serve(other)
  await project.run(connector)

  const [first, second, third, fourth] = blocks.slice(-4).map(({ hash }) => hash)
  const [otherThird, otherFourth] = other.blocks.slice(-2).map(({ block }) => block.hash)
  expect((await project.records('Block')).map(({ op, key }) => [op, key])).toEqual([
    ['append', first],
    ['append', second],
    ['append', third],
    ['append', fourth],
    ['revert', fourth],
    ['revert', third],
    ['append', otherThird],
    ['append', otherFourth],
  ])
})

test('every block is published exactly once, whatever fails, across a reorganisation', async () => {
  await using node = await serveRecording(recording)
  await testConnector({
    connector,
    folder,
    settings: { rpc: node.rpc, chain: 'test', start: end - 1, end },
    states: [() => node.serve(recording), () => node.serve(reorganise(recording, 1))],
    stride: 4,
  })
}, 60_000)
