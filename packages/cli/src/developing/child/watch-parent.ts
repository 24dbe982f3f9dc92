import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** Ends this process after its parent has ended. A worker thread checks, because the connector may block this thread. */
export function watchParent(): void {
  const file = new URL(`./parent-watch${extname(import.meta.url)}`, import.meta.url)
  new Worker(file, { execArgv: [], workerData: { parent: process.ppid } }).unref()
}
