/** Other readers of blocks: undici with `JSON.parse`, and ethers. */
import { JsonRpcProvider } from 'ethers'
import { Pool } from 'undici'
import { serveCalls } from '../program.ts'
import { fetchText } from './fetch-text.ts'

export interface Reading {
  readonly rpc: string
  readonly blocks: number
}

/** Concurrent requests. More of them are no faster. */
const lanes = 16

serveCalls({
  undici: (reading: Reading) =>
    timed(async () => {
      const pool = new Pool(reading.rpc, { connections: lanes })
      let next = 0
      const lane = async () => {
        while (next < reading.blocks) JSON.parse(await fetchText(pool, next++))
      }
      await Promise.all(Array.from({ length: lanes }, lane))
      await pool.destroy()
    }),
  ethers: (reading: Reading) =>
    timed(async () => {
      const provider = new JsonRpcProvider(reading.rpc, undefined, { staticNetwork: true })
      for (let number = 0; number < reading.blocks; number++) await provider.getBlock(number, true)
      provider.destroy()
    }),
})

/** Duration in ms. */
async function timed(read: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await read()
  return performance.now() - start
}
