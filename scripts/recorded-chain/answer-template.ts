import type { RecordedBlock } from './recording.ts'

/** What is other each time a recorded block is handed out. */
export interface Identity {
  readonly number: number
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly hash: string
  readonly parentHash: string
  transactionHash(index: number): string
}

/** The JSON of something recorded, with room for what is other each time. */
export interface AnswerTemplate {
  fill(identity: Identity): Buffer
}

/** What is missing at an offset: the hash of the transaction at an index, or what has a name. */
interface Gap {
  readonly at: number
  readonly of: number | 'number' | 'timestamp' | 'hash' | 'parentHash'
}

/**
 * Finds in the JSON of an answer about a recorded block the block's number and time, its hash and its parent's, and the
 * hashes of its transactions. The bytes between are made once: to fill the gaps is much cheaper than to make JSON.
 */
export function createAnswerTemplate(answer: unknown, { block }: RecordedBlock): AnswerTemplate {
  const hashes = new Map<string, Gap['of']>([
    [block.hash, 'hash'],
    [block.parentHash, 'parentHash'],
    ...block.transactions.map(({ hash }, index): [string, number] => [hash, index]),
  ])
  const gaps: Gap[] = []
  let grown = 0
  const replace = (match: string, name: string | undefined, hash: string, at: number): string => {
    if (name === undefined) {
      const of = hashes.get(hash)
      if (of !== undefined) gaps.push({ at: at + grown + 1, of })
      return match
    }
    const room = `"${name}":${' '.repeat(quantityRoom)}`
    gaps.push({ at: at + grown + name.length + 3, of: name.endsWith('umber') ? 'number' : 'timestamp' })
    grown += room.length - match.length
    return room
  }
  const bytes = Buffer.from(JSON.stringify(answer).replace(varying, replace), 'latin1')
  return {
    fill({ hash, parentHash, number, timestamp, transactionHash }) {
      const texts = {
        hash: Buffer.from(hash),
        parentHash: Buffer.from(parentHash),
        number: quantity(number),
        timestamp: quantity(timestamp),
      }
      const filled = Buffer.from(bytes)
      for (const { at, of } of gaps) {
        if (typeof of === 'number') filled.write(transactionHash(of), at, 'latin1')
        else filled.set(texts[of], at)
      }
      return filled
    },
  }
}

const varying = /"(number|blockNumber|timestamp|blockTimestamp)":"0x[0-9a-f]+"|"(0x[0-9a-f]{64})"/g
/** Of a quantity with its quotes. JSON may have blanks after a value, so a shorter one leaves some. */
const quantityRoom = 14

function quantity(value: number): Buffer {
  return Buffer.from(`"0x${value.toString(16)}"`)
}
