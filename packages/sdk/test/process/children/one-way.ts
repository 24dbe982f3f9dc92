import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { blockOf, frames } from './frames.ts'

/** Each way in which a child of the tests may behave. Where one writes units, the first is right. */
const ways = {
  well() {
    write(frames.ready(1), unit(1), frames.progress(1, 2), frames.done())
  },
  withTimeAndFinal() {
    const first = { number: 1, checkpoint: '{"at":1}', type: 0, value: blockOf(1), timeMs: 1_700_000_000_000 }
    write(frames.ready(1), frames.unit({ ...first, final: '{"at":1}' }), unit(2), frames.done())
  },
  withMalformedMessage() {
    const value = Buffer.from('garbage')
    write(frames.ready(1), frames.unit({ number: 1, checkpoint: '1', type: 0, value }), unit(2), frames.done())
  },
  textFirst() {
    write(Buffer.from('Connecting to the source …\n'))
    stay()
  },
  textLater() {
    write(frames.ready(1), unit(1), Buffer.from('Got 3 rows\nGot 4 rows\n'))
    stay()
  },
  missingModule() {
    // A name that is not known before it runs.
    return import(`./${['no', 'such', 'module'].join('-')}.ts`)
  },
  shortText() {
    write(Buffer.from('ok\n'))
  },
  garbage() {
    write(frames.ready(1), unit(1), Buffer.from('fffe00018899aabbccddeeff0011223344556677', 'hex'))
    stay()
  },
  garbageFrame() {
    write(frames.ready(1), unit(1), Buffer.from('00000004ffffffff', 'hex'))
    stay()
  },
  hugeFrame() {
    write(frames.ready(1), unit(1), Buffer.from('0400000112', 'hex'))
    stay()
  },
  unknownMember() {
    write(frames.ready(1), unit(1), frames.unknown())
    stay()
  },
  partialFrame() {
    write(frames.ready(1), unit(1).subarray(0, 9))
    process.exit(3)
  },
  hangsInFrame() {
    write(frames.ready(1), unit(1).subarray(0, 9))
    stay()
  },
  exitWithoutDone() {
    write(frames.ready(1))
    console.error('nothing left to do')
  },
  crash() {
    write(frames.ready(1))
    throw new Error('no such table: blocks')
  },
  neverReady: stay,
  unitBeforeReady() {
    write(unit(1))
    stay()
  },
  readyTwice() {
    write(frames.ready(1), unit(1), frames.ready(1))
    stay()
  },
  laterVersion() {
    write(frames.ready(2))
    stay()
  },
  unknownType() {
    write(frames.ready(1), unit(1), frames.unit({ number: 2, checkpoint: '2', type: 7, value: blockOf(2) }))
    stay()
  },
  noJson() {
    write(frames.ready(1), unit(1), frames.unit({ number: 2, checkpoint: "{'at': 2}" }))
    stay()
  },
  emptyCheckpoint() {
    write(frames.ready(1), unit(1), frames.unit({ number: 2, checkpoint: '' }))
    stay()
  },
  roundedCheckpoint() {
    write(frames.ready(1), unit(1), frames.unit({ number: 2, checkpoint: '{"at":9007199254740993}' }))
    stay()
  },
  numbersWithHole() {
    write(frames.ready(1), unit(1), unit(3))
    stay()
  },
  flood() {
    write(frames.ready(1), ...Array.from({ length: 5 }, (_, index) => unit(index + 1)))
    stay()
  },
  failedToRetry() {
    write(frames.ready(1), frames.failed('the database is restarting', true))
  },
  failedForGood() {
    write(frames.failed('the password is wrong', false))
  },
  waitsForStop() {
    write(frames.ready(1), unit(1))
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
    stay()
  },
}

export type Way = keyof typeof ways

const stopFrame = Buffer.from('000000021a00', 'hex')

function unit(number: number): Buffer {
  return frames.unit({ number, checkpoint: `{"at":${number}}`, type: 0, value: blockOf(number) })
}

/** At once: what is written together arrives together. */
function write(...parts: Buffer[]): void {
  writeSync(1, Buffer.concat(parts))
}

function stay(): void {
  setInterval(() => {}, 3_600_000)
}

ways[process.argv[2] as Way]()
