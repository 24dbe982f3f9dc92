/** Where units end in a partition, by its records. */
export interface UnitEnds {
  /** Takes in the next record of which seq and unit are known. `time` is left out where it cannot be right. */
  add(record: { readonly seq: number; readonly unit: number; readonly time: number | undefined }): void
  /** What the checkpoint of a unit may say of the partition. */
  after(unit: number): UnitEnd
  /** The unit of a record; that of the next one where it is not known. */
  unitOf(seq: number): number
}

export interface UnitEnd {
  /** The lowest and the highest next seq: two where what is between is missing. */
  readonly lowest: number
  readonly highest: number
  /** Time of the last record, in ms; `undefined` where it is not known. */
  readonly time: number | undefined
}

interface Stretch {
  readonly unit: number
  readonly first: number
  /** After its last record. */
  end: number
  time: number | undefined
}

/**
 * @param from - The first unit that will be asked for: less is kept of those before.
 * @param ending - The seq that follows the partition's last one.
 */
export function createUnitEnds(from: number, ending: () => number): UnitEnds {
  const stretches: Stretch[] = []

  /** Index of the first stretch of which something is true; of those after it, it is true too. */
  function firstWhere(isTrue: (stretch: Stretch) => boolean): number {
    let [low, high] = [0, stretches.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (isTrue(stretches[middle]!)) high = middle
      else low = middle + 1
    }
    return low
  }

  return {
    add({ seq, unit, time }) {
      const newest = stretches.at(-1)
      if (newest?.unit === unit && newest.end === seq) Object.assign(newest, { end: seq + 1, time })
      else {
        // Of the units before only the last one says where the next one begins.
        if (unit <= from) stretches.length = 0
        stretches.push({ unit, first: seq, end: seq + 1, time })
      }
    },
    after(unit) {
      const following = firstWhere((stretch) => stretch.unit > unit)
      const last = stretches[following - 1]
      const highest = stretches[following]?.first ?? ending()
      if (!last) return { lowest: 0, highest, time: highest === 0 ? 0 : undefined }
      return { lowest: last.end, highest, time: last.end === highest ? last.time : undefined }
    },
    unitOf: (seq) => stretches[firstWhere(({ end }) => end > seq)]?.unit ?? Number.POSITIVE_INFINITY,
  }
}
