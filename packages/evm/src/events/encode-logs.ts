import type { EncodedMessage } from '@headrace/sdk'
import type { BlockSource } from '../source/block-source.ts'
import { AnswerScanner } from '../transcoding/answer-scanner.ts'
import { bindFields } from '../transcoding/bound-table.ts'
import { declaredFields } from '../transcoding/declared-fields.ts'
import { encodeMessage } from '../transcoding/encode-message.ts'
import { withErrors } from '../transcoding/encoders.ts'
import { FieldWriter } from '../transcoding/field-writer.ts'
import { logTable } from '../transcoding/message-tables.ts'
import { numberField, textField, timeField } from '../transcoding/shared-fields.ts'
import type { EventStep } from './read-events.ts'

/**
 * The messages `Log` of the logs of a step, in order: byte for byte those of `readBlocks`.
 *
 * @throws {InvalidAnswerError} a member of a log does not have the form of its field.
 */
export type EncodeLogs = (step: Pick<EventStep, 'block' | 'logs'>) => readonly EncodedMessage[]

/**
 * @param source Its message `Log` has the fields that are encoded. Without a project, they are all fields.
 * @throws {UserError} `schema_mismatch`: the .proto declares a field that logs do not have, or another type of one.
 *
 * @example
 * ```ts
 * const encodeLogs = createLogEncoder(source)
 *
 * for await (const { block, logs, ...position } of readEvents(settings, source))
 *   yield { ...position, messages: { Log: encodeLogs({ block, logs }) } }
 * ```
 */
export function createLogEncoder({ descriptor }: Pick<BlockSource, 'descriptor'>): EncodeLogs {
  const declared = descriptor?.('Log')
  const table = bindFields(logTable, declared && declaredFields(logTable, declared))
  const scanner = new AnswerScanner()
  const writer = new FieldWriter()

  function encode({ block: { number, hash, timestamp }, logs }: Pick<EventStep, 'block' | 'logs'>) {
    const json = Buffer.from(JSON.stringify(logs))
    const ofBlock = [timeField(timestamp), numberField(number), textField(hash)]
    const list = scanner.list(json, logTable.members, `the logs of block ${number}`)
    writer.begin(json)
    let scanned = scanner.start(list, 0)
    const ranges = logs.map(({ transactionHash, transactionIndex, logIndex }) => {
      const shared = [...ofBlock, textField(transactionHash), numberField(Number(transactionIndex))]
      writer.reserve(scanner.size(scanned))
      encodeMessage(writer, scanner, table, scanned, shared, Number(logIndex))
      scanned = scanner.next(scanned)
      return writer.message()
    })
    return writer.messages(ranges)
  }

  return (step) => (step.logs.length === 0 ? [] : withErrors(() => encode(step)))
}
