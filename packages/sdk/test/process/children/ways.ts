import { join } from 'node:path'
import { blockOf, frames } from './frames.ts'
import type { NodeWay } from './node-way.ts'

/** The output that a child of the tests writes to stdout in one write, and the script that its shell runs then. */
interface WrittenWay {
  readonly parts: readonly Buffer[]
  readonly script: string
}

/** A command that does not end by itself and does not read stdin. */
const keepRunning = 'exec sleep 3600'

const writing = (...parts: Buffer[]): WrittenWay => ({ parts, script: keepRunning })
const ending = (...parts: Buffer[]): WrittenWay => ({ parts, script: '' })

/** Behaviours of a child. The first unit of each, if any, is correct. */
const written = {
  well: ending(frames.ready(1), unit(1), frames.progress(1, 2), frames.done()),
  withTimeAndFinal: ending(
    frames.ready(1),
    frames.unit({
      ...{ number: 1, checkpoint: '{"at":1}', type: 0, value: blockOf(1) },
      ...{ timeMs: 1_700_000_000_000, final: '{"at":1}' },
    }),
    unit(2),
    frames.done(),
  ),
  withMalformedMessage: ending(
    frames.ready(1),
    frames.unit({ number: 1, checkpoint: '1', type: 0, value: Buffer.from('garbage') }),
    unit(2),
    frames.done(),
  ),
  textFirst: writing(Buffer.from('Connecting to the source …\n')),
  textLater: writing(frames.ready(1), unit(1), Buffer.from('Got 3 rows\nGot 4 rows\n')),
  shortText: ending(Buffer.from('ok\n')),
  garbage: writing(frames.ready(1), unit(1), Buffer.from('fffe00018899aabbccddeeff0011223344556677', 'hex')),
  garbageFrame: writing(frames.ready(1), unit(1), Buffer.from('00000004ffffffff', 'hex')),
  hugeFrame: writing(frames.ready(1), unit(1), Buffer.from('0400000112', 'hex')),
  unknownMember: writing(frames.ready(1), unit(1), frames.unknown()),
  partialFrame: { parts: [frames.ready(1), unit(1).subarray(0, 9)], script: 'exit 3' },
  hangsInFrame: writing(frames.ready(1), unit(1).subarray(0, 9)),
  exitWithoutDone: { parts: [frames.ready(1)], script: 'echo nothing left to do >&2' },
  neverReady: writing(),
  unitBeforeReady: writing(unit(1)),
  readyTwice: writing(frames.ready(1), unit(1), frames.ready(1)),
  laterVersion: writing(frames.ready(2)),
  unknownType: writing(
    frames.ready(1),
    unit(1),
    frames.unit({ number: 2, checkpoint: '2', type: 7, value: blockOf(2) }),
  ),
  invalidJson: writing(frames.ready(1), unit(1), frames.unit({ number: 2, checkpoint: "{'at': 2}" })),
  emptyCheckpoint: writing(frames.ready(1), unit(1), frames.unit({ number: 2, checkpoint: '' })),
  roundedCheckpoint: writing(
    frames.ready(1),
    unit(1),
    frames.unit({ number: 2, checkpoint: '{"at":9007199254740993}' }),
  ),
  numbersWithGap: writing(frames.ready(1), unit(1), unit(3)),
  flood: writing(frames.ready(1), ...Array.from({ length: 5 }, (_, index) => unit(index + 1))),
  failedToRetry: ending(frames.ready(1), frames.failed('the database is restarting', true)),
  failedForGood: ending(frames.failed('the password is wrong', false)),
} satisfies Record<string, WrittenWay>

export type Way = keyof typeof written | NodeWay

/** The command of a child. A shell starts in a hundredth of the time that Node.js needs. */
export function commandOf(way: Way): readonly string[] {
  if (!(way in written)) return [process.execPath, join(import.meta.dirname, 'node-way.ts'), way]
  const { parts, script } = written[way as keyof typeof written]
  // One write, so that all frames arrive together. dash supports octal escapes only.
  const octal = Array.from(Buffer.concat(parts), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  return ['/bin/sh', '-c', `${parts.length > 0 ? `printf '${octal}'\n` : ''}${script}`]
}

function unit(number: number): Buffer {
  return frames.unit({ number, checkpoint: `{"at":${number}}`, type: 0, value: blockOf(number) })
}
