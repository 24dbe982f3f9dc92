import * as fs from 'node:fs/promises'
import type { FileSystem } from '../../src/parquet/files.ts'

/** Called before each change of the file system, with its number from 0. It may delay the call, or throw. */
export type BeforeChange = (call: number, name: string) => unknown

export function createFaultyFiles(before: BeforeChange): FileSystem {
  let calls = 0
  const change = async <Result>(name: string, work: () => Promise<Result>): Promise<Result> => {
    await before(calls++, name)
    return work()
  }
  return {
    ...fs,
    link: (...args) => change('link', () => fs.link(...args)),
    rename: (...args) => change('rename', () => fs.rename(...args)),
    unlink: (...args) => change('unlink', () => fs.unlink(...args)),
    mkdir: ((...args: Parameters<typeof fs.mkdir>) => change('mkdir', () => fs.mkdir(...args))) as typeof fs.mkdir,
    async open(...args) {
      const handle = await change('open', () => fs.open(...args))
      const { writeFile, sync } = handle
      return Object.assign(handle, {
        writeFile: async (bytes: Uint8Array) => {
          try {
            return await change('write', () => writeFile.call(handle, bytes))
          } catch (error) {
            // A full disk may take a part.
            await writeFile.call(handle, bytes.subarray(0, bytes.length >> 1))
            throw error
          }
        },
        sync: () => change('sync', () => sync.call(handle)),
      })
    },
  }
}

export function fullDisk(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
}
