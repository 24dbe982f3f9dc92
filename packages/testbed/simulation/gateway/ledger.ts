import { create, toBinary } from '@bufbuild/protobuf'
import { FieldDescriptorProto_Label, FieldDescriptorProto_Type, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import {
  checkpointKey,
  checkpointPartition,
  encodeAt,
  encodeCheckpoint,
  encodeReverts,
  reorganisationRecord,
  systemTopics,
  type TopicRegistration,
} from '../../../catalog/src/index.ts'
import type { Transaction } from '../../../queue/src/index.ts'
import { type Plan, type PlannedUnit, timeOf } from './plan.ts'

export const lineage = 'acme.ships.1_0_0'
/** Topics that are partitioned by writer need only one partition, because this id belongs to partition 0. */
export const writerId: string = `${lineage}/main`
export const topic: string = `${lineage}.ships_Entry`

/** The system topics that a publisher and a gateway need. */
export const neededTopics: readonly string[] = [
  systemTopics.registry,
  systemTopics.owners,
  systemTopics.checkpoints,
  systemTopics.reorgs,
]

export function registrationOf({ partitions }: Plan): TopicRegistration {
  return {
    topic,
    lineage,
    instance: 'main',
    connector: { owner: 'acme', package: 'ships', version: '1.0.0' },
    message: 'acme.ships.Entry',
    descriptors,
    bytes: 'hex',
    partitions,
  }
}

/** `message Entry { uint64 number = 1; }` */
const descriptors = toBinary(
  FileDescriptorSetSchema,
  create(FileDescriptorSetSchema, {
    file: [
      {
        name: 'entry.proto',
        package: 'acme.ships',
        syntax: 'proto3',
        messageType: [
          {
            name: 'Entry',
            field: [
              {
                name: 'number',
                number: 1,
                type: FieldDescriptorProto_Type.UINT64,
                label: FieldDescriptorProto_Label.OPTIONAL,
                jsonName: 'number',
              },
            ],
          },
        ],
      },
    ],
  }),
)

/** Adds a unit to a transaction as the runtime does: records, reverted intervals and checkpoint. */
export function sendUnit(transaction: Transaction, { number, records, dead, nextSeq, final }: PlannedUnit): void {
  for (const { partition, seq, unit, time, reverts } of records) {
    const headers = [{ key: 'at', value: encodeAt(unit, seq) }]
    if (reverts !== undefined)
      headers.push({ key: 'op', value: Buffer.from('revert') }, { key: 'reverts', value: encodeReverts(reverts) })
    transaction.send({ topic, partition, key: null, value: entry(reverts ?? seq), headers, time })
  }
  for (const interval of dead) transaction.send(reorganisationRecord(writerId, { topic, unit: number, ...interval }))
  const value = encodeCheckpoint({
    position: number,
    unit: number,
    previous: null,
    nextSeq: { [topic]: nextSeq },
    final: final && { unit: final.number, nextSeq: { [topic]: final.nextSeq } },
    time: {},
  })
  const place = { topic: systemTopics.checkpoints, partition: checkpointPartition(writerId) }
  transaction.send({ ...place, key: checkpointKey(writerId), value, time: timeOf(number) })
}

/** An encoded entry. The number must be less than 128. */
function entry(number: number): Uint8Array {
  return number === 0 ? new Uint8Array() : Uint8Array.of(0x08, number)
}
