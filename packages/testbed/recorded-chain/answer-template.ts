import type { RecordedBlock } from './recording.ts'

/** The fields of a recorded block that differ each time it is replayed. */
export interface Identity {
  readonly number: number
  /** Unix time in seconds. */
  readonly timestamp: number
  readonly hash: string
  readonly parentHash: string
  transactionHash(index: number): string
}

/** The JSON of a recorded answer, with gaps for the fields that differ. */
export interface AnswerTemplate {
  fill(identity: Identity): Buffer
}

/** The field at an offset: one of the block, or the hash of the transaction at an index. */
interface Gap {
  readonly at: number
  readonly of: number | 'number' | 'timestamp' | 'hash' | 'parentHash'
}

/**
 * Finds these fields in the JSON of an answer about a recorded block. The bytes between them are made once, because
 * filling gaps is much cheaper than making JSON.
 */
export function createAnswerTemplate(answer: unknown, { block }: RecordedBlock): AnswerTemplate {
  const hashes = new Map<string, Gap['of']>([
    [block.hash, 'hash'],
    [block.parentHash, 'parentHash'],
    ...block.transactions.map(({ hash }, index): [string, number] => [hash, index]),
  ])
  const gaps: Gap[] = []
  let inserted = 0
  const replace = (match: string, name: string | undefined, hash: string, at: number): string => {
    if (name === undefined) {
      const of = hashes.get(hash)
      if (of !== undefined) gaps.push({ at: at + inserted + 1, of })
      return match
    }
    const room = `"${name}":${' '.repeat(quantityRoom)}`
    gaps.push({ at: at + inserted + name.length + 3, of: name.endsWith('umber') ? 'number' : 'timestamp' })
    inserted += room.length - match.length
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
/** Bytes for a quantity with its quotes. A shorter one is followed by blanks, which JSON allows. */
const quantityRoom = 14

export function quantity(value: number): Buffer {
  return Buffer.from(`"0x${value.toString(16)}"`)
}
