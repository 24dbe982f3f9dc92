import { expect, test } from 'vitest'
import * as evm from './index.ts'

test('exports what a connector needs and no more', () => {
  expect(Object.keys(evm).sort()).toMatchInlineSnapshot(`
    [
      "BlockUnavailableError",
      "ChainChangedError",
      "InvalidAnswerError",
      "InvalidBlockRangeError",
      "InvalidRpcUrlError",
      "RpcError",
      "RpcRateLimitedError",
      "RpcRefusedError",
      "RpcUnavailableError",
      "evmErrorCodes",
      "readBlocks",
      "toBlock",
      "toTransaction",
    ]
  `)
})
