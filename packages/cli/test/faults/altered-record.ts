import { type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Queue } from '@headrace/queue'
import { createTestProject } from '@headrace/sdk/testing'
import { recordsOf, replace } from '../../../../examples/evm/test/alterations.ts'
import { type CopiedRecord, readCopy, writeCopy } from '../../../../examples/evm/test/altered-copy.ts'

const folder = new URL('../../../../examples/evm', import.meta.url)

/**
 * Publishes a copy of a connector's records as another chain, with one transaction altered. Its block is the last but
 * one.
 */
export async function publishAltered(
  queue: Queue,
  settings: { readonly rpc: string; readonly chain: string },
  otherChain: string,
): Promise<CopiedRecord> {
  await using source = await createTestProject(folder, { settings, queue })
  await using altered = await createTestProject(folder, { settings: { ...settings, chain: otherChain }, queue })
  const copy = await readCopy(source)
  const record = recordsOf(copy, 'Transaction')[1]!
  const type = altered.project.schema.message('headrace.evm.Transaction') as DescMessage
  const value = toBinary(type, Object.assign(fromBinary(type, record.value!), { AccountNonce: 40_000n }))
  await writeCopy(altered, replace(copy, record, { ...record, value }))
  return record
}
