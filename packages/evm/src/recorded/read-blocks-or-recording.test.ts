import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { BlockSource, EvmCheckpoint } from '../source/block-source.ts'
import { readBlocksOrRecording, type SettingsOrRecording } from './read-blocks-or-recording.ts'
import { serveRecording } from './recorded-node.ts'
import { readRecording } from './recording.ts'

const file = new URL('../../../../templates/evm-blocks/recorded/blocks.json', import.meta.url)
const settings: SettingsOrRecording = {
  ...{ start: 'latest', end: 36, poll: 0.05, confirmations: 0, finality: 'finalized' },
  ...{ verify: 'roots', receipts: false, logs: false },
}

test('without rpc the whole recording is read, with a warning that names the file and the setting', async () => {
  const { numbers, final, lines } = await readAll(settings)
  expect(numbers).toEqual(Array.from({ length: 36 }, (_, index) => index + 1))
  expect(final).toBe(28)
  expect(lines).toEqual([
    expect.objectContaining({ level: 40, recording: expect.stringMatching(/blocks\.json$/), msg: expect.any(String) }),
  ])
  expect(lines[0]?.msg).toContain('"rpc"')
})

test('with rpc the node is read by the settings, and the recording is not used', async () => {
  await using node = await serveRecording(await readRecording(file))
  const { numbers, lines } = await readAll({ ...settings, rpc: node.rpc }, new URL('file:///none.json'))
  expect(numbers).toEqual([36])
  expect(lines).toEqual([])
})

test('the recording is served only while it is read', async () => {
  await expect.poll(countServers).toBe(0)
  for await (const _ of readBlocksOrRecording(settings, sourceOf([]), file)) {
    expect(countServers()).toBe(1)
    break
  }
  await expect.poll(countServers).toBe(0)
})

function countServers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPServerWrap').length
}

interface LogLine {
  readonly level: number
  readonly msg: string
}

async function readAll(settings: SettingsOrRecording, recording = file) {
  const lines: LogLine[] = []
  const numbers: number[] = []
  let final: number | undefined
  for await (const step of readBlocksOrRecording(settings, sourceOf(lines), recording)) {
    numbers.push(Number(step.block.number))
    final = step.final?.number ?? final
  }
  return { numbers, final, lines }
}

function sourceOf(lines: LogLine[]): BlockSource {
  const history: EvmCheckpoint[] = []
  return {
    history: () => history,
    signal: new AbortController().signal,
    log: pino({}, { write: (line) => lines.push(JSON.parse(line)) }),
    progress() {},
  }
}
