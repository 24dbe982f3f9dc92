import { afterEach, expect, test, vi } from 'vitest'
import { InvalidOptionError, UnavailableError } from '../errors.ts'
import type { Service } from '../service/service.ts'
import { connectEvents } from './event-connection.ts'

afterEach(() => void vi.unstubAllGlobals())

test('a page may read five topics, which leaves one of its connections, and everybody else more', async () => {
  const get = vi.fn().mockRejectedValue(new UnavailableError('overloaded', 'Busy.'))
  const service = { get } as unknown as Service
  const read = (topics: number) => {
    const places = new Map(Array.from({ length: topics }, (_, n) => [`a.b${n}`, 'latest']))
    return connectEvents({ service, places, onGap: 'error', bufferSize: 1000, signal: undefined })
  }
  await expect(read(6)).rejects.toThrow(UnavailableError)
  vi.stubGlobal('document', {})
  await expect(read(5)).rejects.toThrow(UnavailableError)
  get.mockClear()
  await expect(read(6)).rejects.toThrow(InvalidOptionError)
  await expect(read(6)).rejects.toThrow('WebSocket')
  expect(get).not.toHaveBeenCalled()
})
