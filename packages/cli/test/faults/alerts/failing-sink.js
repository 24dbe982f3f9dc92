import { RetryableError } from '@headrace/queue'
import { memorySink } from './memory-sink.js'

let batches = 0

// biome-ignore lint/style/noDefaultExport: The command loads the default export.
export default memorySink(async () => {
  if (batches++ % 2 === 1) throw new RetryableError('destination_unavailable', 'The destination is away.')
})
