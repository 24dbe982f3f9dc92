import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { blockOf, frames } from './frames.ts'

/** Behaviours that need a program. */
const ways = {
  missingModule() {
    // The name is computed, so that no tool resolves it before it runs.
    return import(`./${['no', 'such', 'module'].join('-')}.ts`)
  },
  crash() {
    write(frames.ready(1))
    throw new Error('no such table: blocks')
  },
  waitsForStop() {
    write(frames.ready(1), frames.unit({ number: 1, checkpoint: '{"at":1}', type: 0, value: blockOf(1) }))
    process.stdin.on('data', (chunk: Buffer) => {
      if (!chunk.includes(stopFrame)) return
      console.error('asked to stop')
      process.exit(0)
    })
  },
  ignoresStop() {
    process.on('SIGTERM', () => console.error('asked with SIGTERM'))
    const grandchild = spawn('sleep', ['3600'], { stdio: 'inherit' })
    const checkpoint = JSON.stringify([process.pid, grandchild.pid])
    write(frames.ready(1), frames.unit({ number: 1, checkpoint }))
    setInterval(() => {}, 3_600_000)
  },
}

export type NodeWay = keyof typeof ways

const stopFrame = Buffer.from('000000021a00', 'hex')

/** Writes frames in one write, so that they arrive together. */
function write(...parts: Buffer[]): void {
  writeSync(1, Buffer.concat(parts))
}

ways[process.argv[2] as NodeWay]()
