import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readRecording } from './recording.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-recording-'))
})
afterAll(() => rm(folder, { recursive: true }))

const block = { number: '0x1', hash: '0xb1', parentHash: '0xb0', timestamp: '0x1', transactions: [] }
const next = { ...block, number: '0x2', hash: '0xb2', parentHash: '0xb1' }

test('a recording is read by path or by URL', async () => {
  const recording = { chainId: 7, finalized: 1, blocks: [{ block }, { block: next }] }
  const file = await written(JSON.stringify(recording))
  expect(await readRecording(file)).toEqual(recording)
  expect(await readRecording(pathToFileURL(file))).toEqual(recording)
})

test.each([
  ['{', /JSON/],
  ['null', '"chainId" is not a number'],
  ['{ "chainId": "1" }', '"chainId" is not a number'],
  ['{ "chainId": 1 }', '"blocks" is not a list of blocks'],
  ['{ "chainId": 1, "blocks": [] }', '"blocks" is not a list of blocks'],
  ['{ "chainId": 1, "blocks": [null] }', 'blocks[0].block is not a block'],
  ['{ "chainId": 1, "blocks": [{ "block": { "number": "0x1" } }] }', 'blocks[0].block is not a block'],
  [JSON.stringify({ chainId: 1, blocks: [{ block }, { block }] }), 'blocks[1] does not have the next number'],
  [
    JSON.stringify({ chainId: 1, blocks: [{ block }, { block: { ...next, parentHash: '0xff' } }] }),
    'blocks[1] has a parentHash other than the hash of the block before',
  ],
])('the text %s is refused, and the message names the mistake', async (text, message) => {
  const file = await written(text)
  const error: unknown = await readRecording(file).catch((error) => error)
  expect(error).toMatchObject({ code: 'invalid_recording', message: expect.stringContaining(file) })
  expect((error as Error).message).toMatch(message)
})

test('the error for a missing file names it', async () => {
  const file = join(folder, 'none.json')
  await expect(readRecording(file)).rejects.toMatchObject({
    code: 'invalid_recording',
    message: expect.stringContaining(`${file} is not a recording of a chain: ENOENT`),
  })
})

async function written(text: string): Promise<string> {
  const file = join(folder, 'recording.json')
  await writeFile(file, text)
  return file
}
