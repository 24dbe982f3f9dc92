import { memorySink } from './memory-sink.js'

// biome-ignore lint/style/noDefaultExport: The command loads the default export.
export default memorySink(async () => {})
