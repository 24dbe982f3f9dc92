import { setTimeout as wait } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

/** Between two looks, in ms. */
const lookMs = 1000
/** Longer than an orderly end takes, in ms. */
const graceMs = 15_000

const { parent } = workerData as { readonly parent: number }
while (process.ppid === parent) await wait(lookMs)
await wait(graceMs)
process.kill(process.pid, 'SIGKILL')
