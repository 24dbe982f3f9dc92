import type { Checkpoint } from '@headrace/catalog'
import type { Finding, Kind } from './kind.ts'
import type { CopiedCheckpoint, PublishedCopy } from './published-copy.ts'

/** Kinds of tampering with checkpoints. */
export function checkpointKinds(copy: PublishedCopy): Kind[] {
  const newest = copy.checkpoints.at(-1)!.checkpoint
  const ring = copy.checkpoints.filter(({ place }) => place !== undefined)
  const topics = Object.keys(newest.nextSeq)
  const placeOf = (topic: string, partition: number) => `${topic.split('_').at(-1)}/${partition}`
  const kind = (name: string, checkpoints: readonly CopiedCheckpoint[], ...found: Finding[]): Kind => ({
    ...{ name, tamper: () => ({ ...copy, checkpoints }), found },
  })
  const alter = (units: readonly (number | 'newest')[], by: (old: Checkpoint) => Partial<Checkpoint>) =>
    copy.checkpoints.map((one) =>
      units.includes(one.place === undefined ? 'newest' : one.checkpoint.unit)
        ? { ...one, checkpoint: { ...one.checkpoint, ...by(one.checkpoint) } }
        : one,
    )
  const add = (numbers: Checkpoint['nextSeq'], topic: string, partition: number, by: number) => ({
    ...numbers,
    [topic]: numbers[topic]!.map((number, index) => (index === partition ? number + by : number)),
  })
  const withoutPlaces = (isGone: (one: CopiedCheckpoint) => boolean) => copy.checkpoints.filter((one) => !isGone(one))
  const raw = (unit: number | 'newest') =>
    copy.checkpoints.map((one) =>
      (one.place === undefined ? 'newest' : one.checkpoint.unit) === unit ? { ...one, raw: '{"unit":' } : one,
    )
  const { unit } = newest
  const wrong = `checkpoint_wrong u${unit}`
  const chosenPartitions = topics.map((topic) => [topic, newest.nextSeq[topic]!.length - 1] as const)

  const ofNewest = [
    kind(
      'no newest checkpoint',
      withoutPlaces(({ place }) => place === undefined),
      'checkpoint_missing',
    ),
    kind('no checkpoints', [], 'checkpoint_missing'),
    kind(
      'no ring',
      withoutPlaces(({ place }) => place !== undefined),
      `checkpoint_missing u${newest.final!.unit}`,
      wrong,
    ),
    kind('the newest checkpoint cannot be read', raw('newest'), 'checkpoint_unreadable'),
    kind(
      'newest checkpoint: an older one',
      alter(['newest'], () => ring.at(-4)!.checkpoint),
      `checkpoint_behind u${unit}`,
    ),
    kind(
      'newest checkpoint: the previous unit',
      alter(['newest'], () => ({ unit: unit - 1 })),
      `checkpoint_behind u${unit}`,
    ),
    kind(
      'newest checkpoint: a later unit',
      alter(['newest'], () => ({ unit: unit + 1 })),
      `checkpoint_wrong u${unit + 1}`,
    ),
    kind(
      'newest checkpoint: another previous unit',
      alter(['newest'], () => ({ previous: 3 })),
      wrong,
    ),
    kind(
      'newest checkpoint: another position',
      alter(['newest'], () => ({ position: ring[2]!.checkpoint.position })),
      wrong,
    ),
    kind(
      'newest checkpoint: the start of the source',
      alter(['newest'], () => ({ fromStart: true })),
      wrong,
    ),
    kind(
      'newest checkpoint: another final unit',
      alter(['newest'], () => ({ final: ring[2]!.checkpoint.final })),
      wrong,
    ),
    kind(
      'newest checkpoint: no final unit',
      alter(['newest'], () => ({ final: null })),
      wrong,
    ),
    ...chosenPartitions.flatMap(([topic, partition]) => {
      const where = placeOf(topic, partition)
      const next = newest.nextSeq[topic]![partition]!
      const both = ['newest', unit] as const
      return [
        kind(
          `newest checkpoint: a higher next seq of ${where}`,
          alter(['newest'], ({ nextSeq }) => ({ nextSeq: add(nextSeq, topic, partition, 1) })),
          wrong,
        ),
        kind(
          `newest checkpoint: a lower next seq of ${where}`,
          alter(['newest'], ({ nextSeq }) => ({ nextSeq: add(nextSeq, topic, partition, -1) })),
          wrong,
        ),
        kind(
          `newest checkpoint: another time of ${where}`,
          alter(['newest'], ({ time }) => ({ time: add(time, topic, partition, 1) })),
          wrong,
        ),
        kind(
          `newest checkpoint and its copy: a higher next seq of ${where}`,
          alter(both, ({ nextSeq }) => ({ nextSeq: add(nextSeq, topic, partition, 2) })),
          `seq_missing ${where} ${next}`,
        ),
        kind(
          `newest checkpoint and its copy: a lower next seq of ${where}`,
          alter(both, ({ nextSeq }) => ({ nextSeq: add(nextSeq, topic, partition, -1) })),
          `checkpoint_behind ${where} ${next - 1}`,
        ),
        kind(
          `newest checkpoint and its copy: another time of ${where}`,
          alter(both, ({ time }) => ({ time: add(time, topic, partition, 1) })),
          `checkpoint_wrong ${where} u${unit}`,
        ),
      ]
    }),
  ]
  // The first one can be the target of a revert. The second one is before the final unit.
  const chosen = [ring.at(-3)!.checkpoint.unit, ring[3]!.checkpoint.unit]
  const ofRing = chosen.flatMap((one, index) => {
    const isNeeded = index === 0
    const name = `ring, ${isNeeded ? 'after' : 'before'} the final unit`
    const entry = ring.find(({ checkpoint }) => checkpoint.unit === one)!.checkpoint
    const wrongHere = `checkpoint_wrong u${one}`
    return [
      ...(isNeeded
        ? [
            kind(
              `${name}: an entry is removed`,
              withoutPlaces(({ place }) => place === one),
              `checkpoint_missing u${one}`,
            ),
          ]
        : []),
      kind(`${name}: an entry cannot be read`, raw(one), `checkpoint_unreadable u${one}`),
      kind(
        `${name}: another unit`,
        alter([one], () => ({ unit: one - 1 })),
        wrongHere,
      ),
      kind(
        `${name}: a unit after the newest`,
        alter([one], () => ({ unit: one + 8192 })),
        `checkpoint_behind u${one + 8192}`,
      ),
      kind(
        `${name}: another previous unit`,
        alter([one], () => ({ previous: 1 })),
        wrongHere,
      ),
      kind(
        `${name}: no previous unit`,
        alter([one], () => ({ previous: null })),
        wrongHere,
      ),
      kind(
        `${name}: its own unit as the previous one`,
        alter([one], () => ({ previous: one })),
        wrongHere,
      ),
      kind(
        `${name}: a final unit after its own`,
        alter([one], ({ final }) => ({ final: { ...final!, unit: one + 1 } })),
        wrongHere,
      ),
      kind(
        `${name}: another final unit`,
        alter([one], ({ final }) => ({ final: { ...final!, unit: final!.unit + 1 } })),
        `checkpoint_wrong Block/0 u${one}`,
      ),
      kind(
        `${name}: no final unit`,
        alter([one], () => ({ final: null })),
        wrongHere,
      ),
      kind(
        `${name}: another final next seq`,
        alter([one], ({ final }) => ({ final: { ...final!, nextSeq: add(final!.nextSeq, topics[0]!, 0, 1) } })),
        `checkpoint_wrong Block/0 u${one}`,
      ),
      kind(
        `${name}: the next seqs of the previous unit`,
        alter([one], () => ({
          nextSeq: ring.find(({ checkpoint }) => checkpoint.unit === one - 1)!.checkpoint.nextSeq,
        })),
        `checkpoint_wrong Block/0 u${one}`,
      ),
      ...chosenPartitions.flatMap(([topic, partition]) => {
        const where = placeOf(topic, partition)
        const found = `checkpoint_wrong ${where} u${one}`
        return [
          kind(
            `${name}: a higher next seq of ${where}`,
            alter([one], ({ nextSeq }) => ({ nextSeq: add(nextSeq, topic, partition, 1) })),
            found,
          ),
          ...(entry.nextSeq[topic]![partition]! > 0
            ? [
                kind(
                  `${name}: a lower next seq of ${where}`,
                  alter([one], ({ nextSeq }) => ({ nextSeq: add(nextSeq, topic, partition, -1) })),
                  found,
                ),
              ]
            : []),
          kind(
            `${name}: another time of ${where}`,
            alter([one], ({ time }) => ({ time: add(time, topic, partition, 1) })),
            found,
          ),
        ]
      }),
    ]
  })
  const [one, other] = [ring.at(-3)!, ring.at(-2)!]
  const swapped = copy.checkpoints.map((stored) =>
    stored === one ? { ...other, place: one.place } : stored === other ? { ...one, place: other.place } : stored,
  )
  return [
    ...ofNewest,
    ...ofRing,
    kind(
      'ring: two entries are swapped',
      swapped,
      `checkpoint_wrong u${one.checkpoint.unit}`,
      `checkpoint_wrong u${other.checkpoint.unit}`,
    ),
    kind(
      'ring: two contiguous entries are removed',
      withoutPlaces(({ place }) => place === one.place || place === other.place),
      `checkpoint_missing u${one.checkpoint.unit}`,
    ),
  ]
}
