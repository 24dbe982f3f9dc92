/** Records what the template `evm-blocks` reads: `node --conditions=@headrace/source scripts/recorded-chain/record-template.ts`. */
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordChain } from './record-chain.ts'

/** One that nobody's node has: a run that goes over to a node is told that it serves another chain. */
const chainId = 7357
/** Blocks on top of the final one: tests reorganise them. */
const notFinal = 8
const transactionCounts = Array.from({ length: 36 }, (_, index) => (index * 5) % 4)
const file = join(import.meta.dirname, '../../templates/evm-blocks/recorded/blocks.json')

const blocks = (await recordChain({ transactionCounts, chainId })).map(({ block }) => ({ block }))
const lines = blocks.map((block) => `    ${JSON.stringify(block)}`)
const head = `{\n  "chainId": ${chainId},\n  "finalized": ${blocks.length - notFinal},\n  "blocks": [\n`
await writeFile(file, `${head}${lines.join(',\n')}\n  ]\n}\n`)
console.log(`${file}: ${blocks.length} blocks, ${(await stat(file)).size} bytes`)
