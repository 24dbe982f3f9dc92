/** Compacted topic of claims by writer id. Never written in transactions, so an open one does not delay its readers. */
export const ownersTopic = '_headrace.owners'
