import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

/**
 * Sees to it that this process does not outlive the one that started it, also where the connector keeps it so busy that
 * it never hears of it: a thread of its own looks.
 */
export function watchParent(): void {
  const file = new URL(`./parent-watch${extname(import.meta.url)}`, import.meta.url)
  new Worker(file, { execArgv: [], workerData: { parent: process.ppid } }).unref()
}
