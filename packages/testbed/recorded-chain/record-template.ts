/** Records the blocks of the template `evm-blocks`: `node --conditions=@headrace/source packages/testbed/recorded-chain/record-template.ts`. */
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordChain } from './record-chain.ts'

/** No real node has it, so a run that switches to a node fails because of another chain id. */
const chainId = 7357
/** Blocks above the final one, which tests revert. */
const notFinal = 8
const transactionCounts = Array.from({ length: 36 }, (_, index) => (index * 5) % 4)
const file = join(import.meta.dirname, '../../../templates/evm-blocks/recorded/blocks.json')

const blocks = (await recordChain({ transactionCounts, chainId })).map(({ block }) => ({ block }))
const lines = blocks.map((block) => `    ${JSON.stringify(block)}`)
const head = `{\n  "chainId": ${chainId},\n  "finalized": ${blocks.length - notFinal},\n  "blocks": [\n`
await writeFile(file, `${head}${lines.join(',\n')}\n  ]\n}\n`)
console.log(`${file}: ${blocks.length} blocks, ${(await stat(file)).size} bytes`)
