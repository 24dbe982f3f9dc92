import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Size of the space for young objects after many of them, in MB. */
async function youngSpace(setUp: string): Promise<number> {
  const program = `
    ${setUp}
    let kept = []
    for (let number = 0; number < 3_000_000; number++) {
      kept.push({ number, list: [number] })
      if (kept.length > 100_000) kept = []
      // The observer is called between turns of the event loop.
      if (number % 10_000 === 0) await new Promise(setImmediate)
    }
    const { getHeapSpaceStatistics } = await import('node:v8')
    process.stdout.write(String(getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size))
  `
  const node = process.execPath
  const { stdout } = await promisify(execFile)(node, ['--input-type=module', '--eval', program])
  return Number(stdout) / 2 ** 20
}

test('the space for young objects stops growing', async () => {
  const module = new URL('./limit-young-space.ts', import.meta.url)
  expect(await youngSpace(`(await import('${module}')).limitYoungSpace()`)).toBeLessThanOrEqual(16)
  expect(await youngSpace('')).toBeGreaterThan(16)
})
