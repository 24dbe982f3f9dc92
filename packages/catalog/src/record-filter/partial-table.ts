import type { FieldTable, MessageTable } from '../record-json/message-table.ts'

/** The fields of a message that filters read. Others are skipped, which takes less time. */
export interface PartialTable extends MessageTable {
  /** Of a field in this table. It is added if it is not there. */
  indexOf(index: number): number
}

export function createPartialTable(whole: MessageTable): PartialTable {
  const fields: FieldTable[] = []
  const indexes = new Map<number, number>()
  const byNumber = new Map<number, number>()
  const bySmallNumber = new Int32Array(whole.bySmallNumber.length).fill(-1)

  /** Members of a oneof are added together, because each clears the others. */
  function add(members: readonly number[]): void {
    for (const [offset, member] of members.entries()) indexes.set(member, fields.length + offset)
    for (const member of members) {
      const field = whole.fields[member]!
      const { number } = field
      byNumber.set(number, fields.length)
      if (number < bySmallNumber.length) bySmallNumber[number] = fields.length
      fields.push({ ...field, oneofMembers: field.oneofMembers.map((other) => indexes.get(other)!) })
    }
  }

  return {
    ...whole,
    fields,
    byNumber,
    bySmallNumber,
    indexOf(index) {
      if (!indexes.has(index)) add([index, ...whole.fields[index]!.oneofMembers])
      return indexes.get(index)!
    },
  }
}
