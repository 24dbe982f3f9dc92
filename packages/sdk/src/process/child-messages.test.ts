import { expect, test } from 'vitest'
import { readFrames } from './child-messages.ts'

const contents = ['', 'a', 'four', 'x'.repeat(300)].map((text) => Buffer.from(text))
const bytes = Buffer.concat(
  contents.flatMap((content) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(content.length)
    return [length, content]
  }),
)

async function read(chunks: readonly Buffer[]): Promise<string[]> {
  const frames: string[] = []
  async function* source() {
    yield* chunks
  }
  for await (const frame of readFrames(source(), { bytes: 300, silenceMs: 60_000 }))
    frames.push(Buffer.from(frame).toString())
  return frames
}

test.each([1, 2, 3, 4, 5, 7, 100, 1000])('frames are decoded from chunks of %i bytes', async (size) => {
  const chunks = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  expect(await read(chunks)).toEqual(contents.map(String))
})

test('output that ends anywhere within a frame is reported', async () => {
  const ends = contents.map((_, index) =>
    contents.slice(0, index).reduce((sum, content) => sum + 4 + content.length, 0),
  )
  for (let end = 0; end < bytes.length; end++) {
    const reading = read([bytes.subarray(0, end)])
    if (ends.includes(end)) await reading
    else await expect(reading, `${end} bytes`).rejects.toThrow(/It had written \d+ of \d+ bytes of a frame/)
  }
})

test('a length over the limit is rejected, and the bytes are quoted', async () => {
  await expect(read([Buffer.from([0, 0, 1, 45, 7])])).rejects.toMatchObject({
    code: 'child_protocol',
    message: expect.stringContaining('a frame of 301 bytes (00 00 01 2d 07), and 300 are allowed'),
  })
  await expect(read([Buffer.from('\nWärme: 3\nmore')])).rejects.toMatchObject({
    message: expect.stringContaining('wrote text to stdout: "Wärme: 3"'),
  })
})
