/**
 * A destination that stores cursors alone, in memory.
 *
 * @param {() => Promise<void>} apply Called for each batch
 * @returns {import('@headrace/sink').SinkDefinition}
 */
export function memorySink(apply) {
  /** @type {Map<string, string>} */
  const cursors = new Map()
  return {
    kind: 'memory',
    records: 'canonical',
    open: async () => ({
      prepare: async () => {},
      readCursor: async (topic) => cursors.get(topic),
      async apply({ topic, cursor }) {
        await apply()
        cursors.set(topic, cursor)
        return undefined
      },
      close: async () => {},
    }),
  }
}
