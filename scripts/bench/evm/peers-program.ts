/** Other readers of blocks: undici with `JSON.parse`, and ethers. */
import { JsonRpcProvider } from 'ethers'
import { Pool } from 'undici'
import { serveCalls } from '../program.ts'

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

async function fetchText(pool: Pool, number: number): Promise<string> {
  const call = {
    jsonrpc: '2.0',
    id: number,
    method: 'eth_getBlockByNumber',
    params: [`0x${number.toString(16)}`, true],
  }
  const headers = { 'content-type': 'application/json' }
  const { body } = await pool.request({ method: 'POST', path: '/', headers, body: JSON.stringify(call) })
  return body.text()
}

/** Duration in ms. */
async function timed(read: () => Promise<void>): Promise<number> {
  const start = performance.now()
  await read()
  return performance.now() - start
}
