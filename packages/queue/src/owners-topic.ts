/**
 * Who may write, by writer id: the compacted topic to which a run appends its claim before it opens its writer. It is
 * never written in a transaction, so it can be read at once whatever is open.
 */
export const ownersTopic = '_headrace.owners'
