import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

const pollMs = 1000

/** `graceMs` are for an orderly end. */
const { parent, graceMs } = workerData as { readonly parent: number; readonly graceMs: number }
while (process.ppid === parent) await wait(pollMs)
await wait(graceMs)
process.kill(process.pid, 'SIGKILL')
