import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

const pollMs = 1000
/** Ms for an orderly end. */
const graceMs = 15_000

const { parent } = workerData as { readonly parent: number }
while (process.ppid === parent) await wait(pollMs)
await wait(graceMs)
process.kill(process.pid, 'SIGKILL')
