import { expect, test } from 'vitest'
import * as evm from './index.ts'
import * as recorded from './recorded/index.ts'

test('exports what a connector needs and no more', () => {
  expect(Object.keys(evm).sort()).toMatchInlineSnapshot(`
    [
      "BlockPrunedError",
      "BlockUnavailableError",
      "ChainChangedError",
      "ChainMismatchError",
      "ContradictedBlockError",
      "InvalidAnswerError",
      "InvalidBlockRangeError",
      "InvalidRpcUrlError",
      "InvalidWsUrlError",
      "RpcError",
      "RpcOverloadedError",
      "RpcRefusedError",
      "RpcUnavailableError",
      "UnverifiableBlockError",
      "evmErrorCodes",
      "evmFindingCodes",
      "readBlocks",
      "toBlock",
      "toLogs",
      "toReceipt",
      "toTransaction",
      "verifyBlocks",
    ]
  `)
})

test('exports a stand-in for a node apart from it', () => {
  expect(Object.keys(recorded).sort()).toEqual([
    'readBlocksOrRecording',
    'readRecording',
    'reorganise',
    'serveRecording',
  ])
})
