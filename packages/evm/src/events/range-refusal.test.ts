import { expect, test } from 'vitest'
import { RpcError, RpcOverloadedError } from '../errors.ts'
import { type RangeRefusal, rangeRefusal } from './range-refusal.ts'

const answered = (code: number | undefined, message: string, calls = 1) =>
  new RpcError('https://node.example', 'eth_getLogs', { code, message, calls })

/** Each answer is below its source. `undefined`: the source has no code. */
const answers: readonly [by: string, code: number | undefined, message: string, refusal: RangeRefusal][] = [
  // https://github.com/ethers-io/ethers.js/issues/4703
  [
    'Infura',
    -32005,
    'query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].',
    { kind: 'too_many_results', suggested: { from: 0xbde5f8, to: 0x102dbcc } },
  ],
  // https://github.com/INFURA/infura/issues/237
  ['Infura', -32602, 'range 1000000 exceeds limit of 10000', { kind: 'too_wide', blocks: 10_000 }],
  // https://docs.metamask.io/services/reference/ethereum/json-rpc-methods/eth_getlogs
  ['Infura', -32005, 'query timeout exceeded', { kind: 'too_slow' }],
  // https://github.com/erpc/erpc/blob/main/architecture/evm/error_normalizer.go
  [
    'Infura',
    undefined,
    'This query contains 5006 filters. The current limit is 5000.',
    { kind: 'too_many_values', values: 5000 },
  ],
  // https://github.com/ethers-io/ethers.js/issues/4703
  [
    'Alchemy',
    -32602,
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit ' +
      'on the response size, or you can request any block range with a cap of 10K logs in the response. Based ' +
      'on your parameters and the response size limit, this block range should work: [0x0, 0xd043b8]',
    { kind: 'too_many_results', suggested: { from: 0, to: 0xd043b8 } },
  ],
  // https://github.com/risc0/risc0-ethereum/pull/656
  [
    'Alchemy',
    -32600,
    'You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, this block ' +
      'range should work: [0x1be4213, 0x1be4406]',
    { kind: 'too_wide', blocks: 500, suggested: { from: 0x1be4213, to: 0x1be4406 } },
  ],
  // https://github.com/jaxernst/lasso-rpc/blob/main/lib/lasso/core/providers/adapters/alchemy.ex
  [
    'Alchemy',
    -32600,
    'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your ' +
      'parameters, this block range should work: [0x1180fca, 0x1180fd3]. Upgrade to PAYG for expanded block ' +
      'range.',
    { kind: 'too_wide', blocks: 10, suggested: { from: 0x1180fca, to: 0x1180fd3 } },
  ],
  // https://github.com/worldcoin/signup-sequencer/issues/274 (without the range, which is newer)
  [
    'Alchemy',
    -32000,
    'Query timeout exceeded. Consider reducing your block range. Based on your parameters and the response ' +
      'size limit, this block range should work: [0x5223c98, 0x5223e80]',
    { kind: 'too_slow', suggested: { from: 0x5223c98, to: 0x5223e80 } },
  ],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/CHANGELOG.md
  [
    'thirdweb',
    -32005,
    'Log response size exceeded. Maximum allowed number of requested blocks is 1000',
    { kind: 'too_wide', blocks: 1000 },
  ],
  // https://github.com/OffchainLabs/arbitrum-sdk/issues/609
  ['QuickNode', -32614, 'eth_getLogs is limited to a 10,000 range', { kind: 'too_wide', blocks: 10_000 }],
  // https://www.quicknode.com/docs/ethereum/error-references
  [
    'QuickNode',
    undefined,
    'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range',
    { kind: 'too_wide', blocks: 10_000 },
  ],
  // https://github.com/foundry-rs/foundry/issues/12687
  [
    'BlockPI',
    -32602,
    'eth_getLogs is limited to 1024 block range. Please check the parameter requirements at https://docs.blockpi.io/documentations/api-reference',
    { kind: 'too_wide', blocks: 1024 },
  ],
  // https://github.com/jaxernst/lasso-rpc/blob/main/lib/lasso/core/providers/adapters/1rpc.ex
  ['1RPC', -32602, 'eth_getLogs is limited to 0 - 10000 blocks range', { kind: 'too_wide', blocks: 10_000 }],
  // https://github.com/foundry-rs/foundry/issues/12687
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier', { kind: 'too_wide', blocks: 10_000 }],
  ['Merkle', -32603, 'eth_getLogs range is too large, max is 1k blocks', { kind: 'too_wide', blocks: 1000 }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/publicnode.test.ts
  ['PublicNode', -32701, 'exceed maximum block range: 50000', { kind: 'too_wide', blocks: 50_000 }],
  // https://github.com/jaxernst/lasso-rpc/blob/main/lib/lasso/core/providers/adapters/public_node.ex
  ['PublicNode', undefined, 'Please, specify less number of addresses', { kind: 'too_many_values' }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/cloudflare.test.ts
  [
    'Cloudflare',
    -32047,
    "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    { kind: 'too_wide', blocks: 800 },
  ],
  // https://github.com/matter-labs/zksync-era/pull/2974
  [
    'Chainstack',
    -32602,
    'Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits',
    { kind: 'too_wide' },
  ],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/getLogsRetryHelper.ts
  ['Ankr', -32600, 'block range is too wide', { kind: 'too_wide' }],
  // https://github.com/ponder-sh/ponder/issues/1940
  ['Ankr', -32000, 'maximum [from, to] blocks distance: 10000', { kind: 'too_wide', blocks: 10_000 }],
  // https://github.com/bobanetwork/boba_legacy/issues/827
  ['Tenderly', -32602, 'range 9009594 is bigger than range limit 2000', { kind: 'too_wide', blocks: 2000 }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/blast.test.ts
  [
    'Blast',
    -32602,
    'the range 54750959 - 54800958 exceeds the range allowed for your plan (49999 > 2000).',
    { kind: 'too_wide', blocks: 2000 },
  ],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/coinbase.test.ts
  ['Coinbase', -32005, 'please limit the query to at most 1000 blocks', { kind: 'too_wide', blocks: 1000 }],
  // https://github.com/ethereum/go-ethereum/blob/master/eth/filters/filter.go
  ['geth', -32602, 'exceed maximum block range 5000', { kind: 'too_wide', blocks: 5000 }],
  // https://github.com/ethereum/go-ethereum/blob/master/eth/filters/api.go
  ['geth', -32000, 'exceed max addresses or topics per search position', { kind: 'too_many_values' }],
  ['geth', -32000, 'exceed max topics', { kind: 'too_many_values' }],
  // https://github.com/ethereum/go-ethereum/blob/master/rpc/errors.go
  ['geth', -32002, 'request timed out', { kind: 'too_slow' }],
  ['geth', -32003, 'response too large', { kind: 'too_large' }],
  // https://pkg.go.dev/context#DeadlineExceeded
  ['geth', -32000, 'context deadline exceeded', { kind: 'too_slow' }],
  // https://github.com/erigontech/erigon/pull/19721
  [
    'Erigon',
    undefined,
    'query block range exceeds server limit, narrow your filter: 1000',
    { kind: 'too_wide', blocks: 1000 },
  ],
  // https://github.com/trezor/blockbook/pull/1692
  ['Erigon', undefined, 'query returns too many logs, narrow your filter: 20000', { kind: 'too_many_results' }],
  // https://github.com/erigontech/erigon/pull/22014
  [
    'Erigon',
    -32602,
    'query exceeds the maximum of 1000 addresses or topics per search position',
    { kind: 'too_many_values', values: 1000 },
  ],
  // https://github.com/foundry-rs/foundry/issues/12687
  ['reth', -32602, 'query exceeds max block range 100000', { kind: 'too_wide', blocks: 100_000 }],
  // https://github.com/paradigmxyz/reth/issues/23810
  [
    'reth',
    -32602,
    'query exceeds max results 20000, retry with the range 25766988-25775072',
    { kind: 'too_many_results', suggested: { from: 25_766_988, to: 25_775_072 } },
  ],
  // https://github.com/NethermindEth/nethermind/blob/master/src/Nethermind/Nethermind.JsonRpc/Modules/Eth/EthRpcModule.cs
  ['Nethermind', -32005, 'Too many logs requested. Max logs per response is 20000.', { kind: 'too_many_results' }],
  // https://github.com/hyperledger/besu/blob/main/ethereum/api/src/main/java/org/hyperledger/besu/ethereum/api/jsonrpc/internal/response/RpcErrorType.java
  ['Besu', -32005, 'Requested range exceeds maximum RPC range limit', { kind: 'too_wide' }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/arbitrum.test.ts
  ['Arbitrum', -32000, 'logs matched by query exceeds limit of 10000', { kind: 'too_many_results' }],
  // https://github.com/AlphaWallet/alpha-wallet-android/issues/2736
  ['BNB Chain', -32000, 'exceed maximum block range: 5000', { kind: 'too_wide', blocks: 5000 }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/optimism.test.ts
  ['Optimism', undefined, 'Block range is too large', { kind: 'too_wide' }],
  // https://github.com/ethereum-optimism/infra/blob/main/proxyd/backend.go
  ['Base', -32020, 'backend response too large', { kind: 'too_large' }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/swell.test.ts
  ['proxyd', undefined, 'block range greater than 1000 max', { kind: 'too_wide', blocks: 1000 }],
  // https://github.com/matter-labs/zksync-era/issues/3412
  [
    'zkSync Era',
    -32602,
    'Query returned more than 10000 results. Try with this block range [0x0, 0x30f].',
    { kind: 'too_many_results', suggested: { from: 0, to: 0x30f } },
  ],
  ['zkSync Era', -32008, 'Response is too big', { kind: 'too_large' }],
  // https://github.com/0xPolygon/cdk-erigon/pull/1706
  ['cdk-erigon', -32005, 'block range too large, max range: 1000', { kind: 'too_wide', blocks: 1000 }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/avalanche.test.ts
  [
    'Avalanche',
    -32000,
    'requested too many blocks from 100 to 2148, maximum is set to 2048',
    { kind: 'too_wide', blocks: 2048 },
  ],
  // https://github.com/moonbeam-foundation/moonbeam/pull/3250
  ['Moonbeam', undefined, 'block range is too wide (maximum 1024)', { kind: 'too_wide', blocks: 1024 }],
  // https://github.com/Analog-Labs/chain-connectors/issues/275
  ['Frontier', -32603, 'query timeout of 10 seconds exceeded', { kind: 'too_slow' }],
  // https://github.com/sei-protocol/sei-chain/blob/main/evmrpc/filter.go
  ['Sei', -32000, 'block range too large (2002), maximum allowed is 2000 blocks', { kind: 'too_wide', blocks: 2000 }],
  // https://github.com/enviodev/hyperindex/issues/605
  [
    'Morph',
    -32000,
    'block range is larger than max block range, block range = 5120, max block range = 5000',
    { kind: 'too_wide', blocks: 5000 },
  ],
  // https://github.com/scroll-tech/go-ethereum/pull/529
  ['Scroll', -32000, 'block range is bigger than maxBlockRange', { kind: 'too_wide' }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/somnia.test.ts
  ['Somnia', undefined, 'block range exceeds 1000', { kind: 'too_wide', blocks: 1000 }],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/harmony.test.ts
  ['Harmony', undefined, 'query must be smaller than size 1024', { kind: 'too_wide', blocks: 1024 }],
  // https://github.com/hiero-ledger/hiero-json-rpc-relay/blob/main/packages/relay/src/lib/errors/JsonRpcError.ts
  ['Hedera', -32000, 'Exceeded maximum block range: 1000', { kind: 'too_wide', blocks: 1000 }],
  [
    'Hedera',
    -32004,
    'The provided fromBlock and toBlock contain timestamps that exceed the maximum allowed duration of 7 days ' +
      '(604800 seconds): fromBlock: 0x1 (1700000000), toBlock: 0xf4240 (1702000000)',
    { kind: 'too_wide' },
  ],
  // https://github.com/ponder-sh/ponder/blob/main/packages/utils/src/_test/altitude.test.ts
  ['Altitude', undefined, 'allowed block range threshold exceeded', { kind: 'too_wide' }],
]

test.each(answers)('the refusal of %s is recognised: %s "%s"', (_by, code, message, refusal) => {
  expect(rangeRefusal(answered(code, message))).toEqual(refusal)
})

test.each<[number, string]>([
  // Rate limits: QuickNode, Ankr, Infura, Alchemy, dRPC, proxyd, BNB Chain.
  [-32007, '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com'],
  [-32005, 'Too many requests, reason: call rate limit exhausted, retry in 10s'],
  [-32005, 'daily request count exceeded, request rate limited'],
  [429, 'Your app has exceeded its compute units per second capacity.'],
  [15, 'Too many request, try again later'],
  [-32016, 'over rate limit'],
  [-32005, 'limit exceeded'],
  // An unknown method, invalid parameters, and filters that no smaller range makes valid.
  [-32601, 'the method eth_getLogs does not exist/is not available'],
  [-32602, 'invalid argument 0: hex string without 0x prefix'],
  [-32602, 'invalid block range params'],
  [-32602, 'block range extends beyond current head block: requested 200, head 100'],
  [-32701, 'Please specify an address in your request or, to remove restrictions, order a dedicated full node'],
  [-32000, 'pruned history unavailable: requested 1, earliest available 100'],
  [-32000, 'header not found'],
  [3, 'execution reverted: range'],
])('the error %i "%s" is no refusal of a range', (code, message) => {
  expect(rangeRefusal(answered(code, message))).toBeUndefined()
})

test('a suggested range that ends before it begins is ignored', () => {
  const error = answered(-32602, 'query exceeds max results 20000, retry with the range 101-100')
  expect(rangeRefusal(error)).toEqual({ kind: 'too_many_results' })
})

test('a batch that is too large or too slow says nothing about a range', () => {
  expect(rangeRefusal(answered(-32003, 'response too large', 10))).toBeUndefined()
  expect(rangeRefusal(answered(-32002, 'request timed out', 10))).toBeUndefined()
  expect(rangeRefusal(answered(-32602, 'query exceeds max block range 1000', 10))).toEqual({
    kind: 'too_wide',
    blocks: 1000,
  })
})

test('an answer that did not come or was too large is a refusal, but not a rate limit', () => {
  const overloaded = (overload: 'too_many' | 'too_slow' | 'too_large') =>
    rangeRefusal(new RpcOverloadedError('https://node.example', overload, 'does not answer'))
  expect(overloaded('too_slow')).toEqual({ kind: 'too_slow' })
  expect(overloaded('too_large')).toEqual({ kind: 'too_large' })
  expect(overloaded('too_many')).toBeUndefined()
})
