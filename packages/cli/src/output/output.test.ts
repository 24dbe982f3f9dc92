import { PassThrough, Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createOutput, OutputClosedError } from './output.ts'

test('a write resolves when the reader has consumed it', async () => {
  let take = () => {}
  const stream = new Writable({
    write(_chunk, _encoding, done) {
      take = done
    },
  })
  let taken = false
  const written = createOutput(stream)
    .write('x')
    .then(() => {
      taken = true
    })
  await new Promise(setImmediate)
  expect(taken).toBe(false)
  take()
  await written
})

test('a write after the reader has closed the pipe throws OutputClosedError', async () => {
  const stream = new PassThrough()
  const output = createOutput(stream)
  stream.destroy()
  await expect(output.write('x')).rejects.toThrow(OutputClosedError)
})

test('a write that fails for another reason throws output_failed', async () => {
  const error = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const stream = new Writable({ write: (_chunk, _encoding, done) => done(error) })
  await expect(createOutput(stream).write('x')).rejects.toMatchObject({
    code: 'output_failed',
    message: expect.stringContaining('no space left on device'),
  })
})
