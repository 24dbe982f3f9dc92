import { fetchInOrder, type Traced, traceFetch } from '@headrace/sdk'
import type { ConnectHttp } from '../rpc/http-connection.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { BlockSource, EvmSettings } from './block-source.ts'
import { BlockStep } from './block-step.ts'
import { createFetchUnit, type FetchedUnit, type FetchUnitSource } from './fetch-unit.ts'
import { readChain, type UnitReader } from './read-chain.ts'

/** Of answers, which are kept until their block was yielded. */
const aheadBytes = 4 << 20

/**
 * Reads a chain block by block after `history()[0]`, or from `start`. Each block's parent is the block before it. After
 * a reorganisation the first block of the new branch has `revertTo`.
 *
 * Its steps are units with the messages `Block`, `Transaction`, `Receipt` and `Log`, as far as the project has topics
 * for them, encoded with the fields that its .proto declares. A field must have the name and type that it has in the
 * .proto of the EVM example.
 *
 * Ends after block `end`, or follows the head indefinitely. Throws the reason of `signal` when it is aborted.
 *
 * @throws {ChainChangedError} the nodes serve another chain than the published one.
 * @throws {RetryableError} no node could be reached, or none gave a valid answer.
 * @throws {UserError} the settings are invalid, or the nodes refuse this client.
 *
 * @param connect How the nodes are reached. Default: over HTTP. With another one, no thread is used.
 */
export async function* readBlocks(
  settings: EvmSettings,
  source: BlockSource,
  connect?: ConnectHttp,
): AsyncGenerator<BlockStep, void, undefined> {
  const createReader = (rpc: Rpc) =>
    createBlockReader(rpc, settings, { ...source, ...(connect && { usesThread: false }) })
  for await (const { unit, place } of readChain({ settings, source, connect, createReader }))
    yield new BlockStep(unit, place)
}

function createBlockReader(rpc: Rpc, settings: EvmSettings, source: FetchUnitSource): UnitReader<FetchedUnit & Traced> {
  const unit = createFetchUnit(rpc, settings, source)
  return {
    range: ({ from, last, newFrom }, signal) =>
      fetchInOrder({
        ...{ from, to: last, signal },
        fetch: (number, signal) =>
          traceFetch({ 'headrace.evm.block': number }, () => unit.at(number, { isNew: number >= newFrom, signal })),
        width: () => rpc.width,
        maxBytes: aheadBytes,
        sizeOf: ({ block, receipts }: FetchedUnit) => block.json.length + (receipts?.json.length ?? 0),
      }),
    find: unit.find,
    close: unit.close,
  }
}
