import { expect, test } from 'vitest'
import * as evm from './index.ts'
import * as recorded from './recorded/index.ts'

test('the package exports what a connector needs', () => {
  expect(Object.keys(evm).sort()).toMatchInlineSnapshot(`
    [
      "BlockPrunedError",
      "BlockUnavailableError",
      "ChainChangedError",
      "ChainMismatchError",
      "ContradictedBlockError",
      "InvalidAnswerError",
      "InvalidBlockRangeError",
      "InvalidEventFilterError",
      "InvalidRpcUrlError",
      "InvalidWsUrlError",
      "RpcError",
      "RpcOverloadedError",
      "RpcRefusedError",
      "RpcUnavailableError",
      "UnverifiableBlockError",
      "createLogEncoder",
      "evmErrorCodes",
      "evmFindingCodes",
      "readBlocks",
      "readEvents",
      "verifyBlocks",
    ]
  `)
})

test('the recorded node has an entry point of its own', () => {
  expect(Object.keys(recorded).sort()).toEqual([
    'readBlocksOrRecording',
    'readEventsOrRecording',
    'readRecording',
    'reorganise',
    'serveRecording',
  ])
})
