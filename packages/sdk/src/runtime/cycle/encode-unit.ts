import { inspect } from 'node:util'
import { encodeAt, encodeCheckpoint, headerKeys } from '@headrace/catalog'
import { type NewRecord, UserError } from '@headrace/queue'
import type { Context } from '@opentelemetry/api'
import type { Unit } from '../../connector/connector.ts'
import type { MessageWriter } from '../../wire/message-writer.ts'
import { invalidUnit } from '../checkpoint/checkpoint-json.ts'
import type { RunState } from '../checkpoint/run-state.ts'
import type { BadMessageReplacer } from '../dead-letter/bad-messages.ts'
import type { RunMeter } from '../metrics/run-meter.ts'
import type { Revert } from '../revert/revert.ts'
import { encodeMessage, type MessageTopic, partitionOf } from '../start/message-topic.ts'
import { beginUnitTrace, traceEncoding, type UnitTrace } from '../trace/unit-trace.ts'
import type { EncodedRecord, EncodedUnit } from './encoded-unit.ts'

const unitLimitBytes = 64 * 1024 * 1024

export interface UnitEncoder {
  readonly topics: ReadonlyMap<string, MessageTopic>
  readonly state: RunState
  readonly replaceBad: BadMessageReplacer
  readonly meter: RunMeter
  readonly writerId: string
}

interface UnitContext {
  readonly unit: number
  readonly time: number
  readonly now: number
  readonly deadLetters: NewRecord[]
  readonly trace: UnitTrace | undefined
}

export interface UnitPlace {
  readonly revert?: Revert | undefined
  /** Of the spans of the unit, if it has no `traceparent`. */
  readonly parent?: Context | undefined
}

/**
 * Encodes and numbers the records of a unit. After an error the run must end.
 *
 * @throws {UserError} `invalid_unit`, `unit_too_large`, `bad_message`
 */
export function encodeUnit(encoder: UnitEncoder, unit: Unit, writer: MessageWriter, place: UnitPlace): EncodedUnit {
  const { writerId, state } = encoder
  const { parent } = place
  const trace = beginUnitTrace({ unit: state.nextUnit, writerId, traceparent: unit?.traceparent, parent })
  const encode = (): EncodedUnit => encodeMessages(encoder, unit, writer, { ...place, trace })
  return trace ? traceEncoding(trace, encode) : encode()
}

function encodeMessages(
  encoder: UnitEncoder,
  unit: Unit,
  writer: MessageWriter,
  { revert, trace }: UnitPlace & Pick<UnitContext, 'trace'>,
): EncodedUnit {
  const start = performance.now()
  const lists = checkUnit(unit, encoder.topics)
  const number = encoder.state.nextUnit
  const now = Date.now()
  const context = { unit: number, time: unit.time?.getTime() ?? now, now, deadLetters: [], trace }
  const records: EncodedRecord[] = []
  let bytes = 0
  for (const [topic, messages] of lists) {
    for (const message of messages) {
      const record = encodeRecord(encoder, context, topic, message, writer)
      records.push(record)
      bytes += (record.key?.length ?? 0) + (record.value?.length ?? 0)
      if (bytes > unitLimitBytes) throw tooLarge(number, unit.checkpoint, records.length)
    }
  }
  const checkpoint = encoder.state.endUnit(unit)
  encoder.meter.stageMs.encode += performance.now() - start
  return {
    unit: number,
    revert,
    records,
    deadLetters: context.deadLetters,
    position: checkpoint.position,
    checkpoint: encodeCheckpoint(checkpoint),
    revertible: encoder.state.revertible,
    bytes,
    trace,
  }
}

function encodeRecord(
  encoder: UnitEncoder,
  context: UnitContext,
  topic: MessageTopic,
  message: unknown,
  writer: MessageWriter,
): EncodedRecord {
  try {
    const value = encodeMessage(topic, message, writer)
    return placeRecord(encoder, context, topic, topic.readKey?.(value) ?? null, value, topic.readTime?.(value))
  } catch (error) {
    writer.discard()
    const record = placeRecord(encoder, context, topic, null, null, undefined)
    return encoder.replaceBad(record, { unit: context.unit, error, message }, context.deadLetters)
  }
}

/** The time never decreases. */
function placeRecord(
  { state }: UnitEncoder,
  context: UnitContext,
  topic: MessageTopic,
  key: Uint8Array | null,
  value: Uint8Array | null,
  messageTime: number | undefined,
): EncodedRecord {
  const partition = partitionOf(topic, key)
  const counters = state.counters.get(topic.topic)!
  const seq = counters.nextSeq[partition]!
  counters.nextSeq[partition] = seq + 1
  const time = Math.max(Math.min(Math.trunc(messageTime ?? context.time), context.now), counters.time[partition]!)
  counters.time[partition] = time
  const headers = [{ key: headerKeys.at, value: encodeAt(context.unit, seq) }, ...topic.headers]
  if (context.trace) headers.push(context.trace.header)
  return { topic: topic.topic, partition, key, value, headers, time, seq, message: topic.codec.name }
}

function tooLarge(unit: number, checkpoint: unknown, records: number): UserError {
  return new UserError(
    'unit_too_large',
    `Unit ${unit} (checkpoint ${inspect(checkpoint)}) is larger than ${unitLimitBytes} bytes after ${records} ` +
      'messages, and a unit is never split. Yield smaller units.',
  )
}

type MessageList = readonly [MessageTopic, readonly unknown[]]

/** The source may be untyped JavaScript. */
function checkUnit(unit: Unit, topics: ReadonlyMap<string, MessageTopic>): MessageList[] {
  if (typeof unit !== 'object' || unit === null)
    throw invalidUnit(`it is ${unit === null ? 'null' : `a ${typeof unit}`}`)
  if (unit.checkpoint === undefined) throw invalidUnit('it has no checkpoint')
  if (unit.time !== undefined && !(unit.time instanceof Date && unit.time.getTime() >= 0)) {
    throw invalidUnit('its time is not a Date from 1970 on')
  }
  const { messages = {} } = unit
  if (typeof messages !== 'object' || messages === null) throw invalidUnit('its messages are not an object of lists')
  return Object.entries(messages).map(([name, list]) => checkList(name, list, topics))
}

function checkList(name: string, messages: unknown, topics: ReadonlyMap<string, MessageTopic>): MessageList {
  const topic = topics.get(name)
  if (!topic) {
    const known = topics.size > 0 ? `Those with a topic are: ${[...topics.keys()].join(', ')}` : 'No message has one'
    throw invalidUnit(`it holds messages "${name}", which have no topic in manifest.yaml. ${known}`)
  }
  if (!Array.isArray(messages)) throw invalidUnit(`its messages "${name}" are not a list`)
  return [topic, messages]
}
