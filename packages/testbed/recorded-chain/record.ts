/** Records `chain.ndjson.br`, or another file: `node --conditions=@headrace/source packages/testbed/recorded-chain/record.ts FILE`. */
import { stat } from 'node:fs/promises'
import { recordChain } from './record-chain.ts'
import { recordingFile, writeRecording } from './recording.ts'

const file = process.argv[2] ?? recordingFile
const blocks = await recordChain()
await writeRecording(file, blocks)
const transactions = blocks.reduce((sum, { block }) => sum + block.transactions.length, 0)
console.log(`${file}: ${blocks.length} blocks, ${transactions} transactions, ${(await stat(file)).size} bytes`)
