import type { WriteStream } from 'node:tty'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPaint } from './logger.ts'

/** A stream to a terminal with colours, or to a file. */
const stream = (isTTY: boolean) => {
  const depth = () => (process.env.NO_COLOR ? 1 : 8)
  return Object.assign(Object.create(process.stderr), { isTTY, getColorDepth: depth }) as WriteStream
}

beforeEach(() => {
  for (const name of ['NO_COLOR', 'NODE_DISABLE_COLORS', 'FORCE_COLOR']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

test('colours are shown on a terminal, not in a pipe, and not with NO_COLOR', () => {
  expect(createPaint(stream(true))('red', 'x')).toBe('\u001b[31mx\u001b[39m')
  expect(createPaint(stream(false))('red', 'x')).toBe('x')
  vi.stubEnv('NO_COLOR', '1')
  expect(createPaint(stream(true))('red', 'x')).toBe('x')
})

test('FORCE_COLOR shows them in a pipe', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  expect(createPaint(stream(false))('red', 'x')).toBe('\u001b[31mx\u001b[39m')
})
