import { createRandom } from '../../../testbed/random.ts'
import { withExtremes } from '../../../testbed/recorded-chain/extreme-blocks.ts'
import { readRecording } from '../../../testbed/recorded-chain/recording.ts'
import { type Comparison, compareBlock, compareReceipts, encodedBlock } from './compare-answer.ts'
import { mutateAnswer } from './mutate-answer.ts'

/** Blocks of more transactions take longer, and have the same members. */
const mostTransactions = 12

/**
 * Compares the messages of mutated answers of real nodes with those of the oracle.
 *
 * @returns How often each comparison had which result.
 * @throws {Error} they differ.
 */
export async function compareMutatedAnswers(count: number, seed: number): Promise<Record<Comparison, number>> {
  const random = createRandom(seed)
  const recorded = withExtremes(await readRecording())
    .filter(({ block }) => block.transactions.length <= mostTransactions)
    .map(({ block, receipts }) => {
      const [ofBlock, ofReceipts] = [JSON.stringify(block), JSON.stringify(receipts)]
      return { ofBlock, ofReceipts, encoded: encodedBlock(Buffer.from(ofBlock), Number(block.number)) }
    })
  const counts: Record<Comparison, number> = { equal: 0, refused: 0, refused_twice: 0 }
  for (let each = 0; each < count; each++) {
    const { ofBlock, ofReceipts, encoded } = random.pick(recorded)
    const isBlock = random.integer(2) === 0
    let text = isBlock ? ofBlock : ofReceipts
    for (let left = random.integer(2); left >= 0; left--) text = mutateAnswer(text, random)
    const json = Buffer.from(text)
    counts[isBlock ? compareBlock(json, encoded.block.number) : compareReceipts(json, encoded)]++
  }
  return counts
}
