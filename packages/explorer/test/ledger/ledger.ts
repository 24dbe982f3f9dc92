import { setTimeout as delay } from 'node:timers/promises'
import { type DescMessage, fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf'
import type { Queue } from '@headrace/queue'
import type { Connector, EndpointHealth, MessageCodec, Source, Unit } from '@headrace/sdk'
import { createTestProject } from '@headrace/sdk/testing'
import { transferOf } from './transfer.ts'

export const transfers = 'acme.ledger.1_2_0.ledger_Transfer'
export const notices = 'acme.ledger.1_2_0.ledger_Notice'
export const nothing = 'acme.ledger.1_2_0.ledger_Empty'

/** A running connector that publishes what a test gives it. */
export interface Ledger extends AsyncDisposable {
  /** Publishes a unit, and resolves when it is committed. Messages are in the JSON of protobuf, by short name. */
  publish(messages: Messages, options?: UnitOptions): Promise<void>
  /** Publishes further transfers as one unit. */
  transfer(count: number, change?: Change, options?: UnitOptions): Promise<void>
}

export type Messages = Readonly<Record<string, readonly JsonValue[]>>
export type Change = (number: number) => Readonly<Record<string, JsonValue>>

export interface UnitOptions {
  /** Number of units that are reverted first. */
  readonly reverts?: number
  /** Whether no unit up to this one can be reverted any more. */
  readonly isFinal?: boolean
}

type Position = { readonly number: number }
type LedgerUnit = Unit<Connector['schema'], Position>

/** Runs the connector of a folder. Default: the ledger. */
export async function startLedger(queue: Queue, folder: string | URL = import.meta.dirname): Promise<Ledger> {
  const project = await createTestProject(folder, { queue })
  const stop = new AbortController()
  const units: LedgerUnit[] = []
  const committed: (() => void)[] = []
  let wake = Promise.withResolvers<void>()
  let source: Source<Connector['schema'], Position> | undefined
  const messages = Object.fromEntries(
    project.instance.topics.map(({ message }) => [
      shortName(message),
      codecOf(project.project.schema.message(message)!),
    ]),
  )
  const connector: Connector<Connector['schema'], Position, LedgerUnit> = {
    schema: { messages, config: undefined },
    async *read(opened) {
      source = opened
      opened.watchEndpoints?.(() => [serving])
      while (!opened.signal.aborted) {
        for (const unit of units.splice(0)) {
          opened.progress(unit.checkpoint.number, unit.checkpoint.number + 2)
          yield unit
        }
        await wake.promise
      }
    },
  }
  const running = project.run(connector as Connector, {
    signal: stop.signal,
    observer: {
      onCommit({ units }) {
        for (const done of committed.splice(0, units - total)) done()
        total = units
      },
    },
  })
  let total = 0
  let newest = 0
  let published = 0
  while (!source) await Promise.race([delay(5), running])
  const ledger: Ledger = {
    publish(messages, { reverts = 0, isFinal = false } = {}) {
      const checkpoint = { number: ++newest }
      const revertTo = reverts > 0 ? { revertTo: source!.history()[reverts] ?? null } : {}
      units.push({ checkpoint, messages, ...revertTo, ...(isFinal && { final: checkpoint }) })
      const { promise, resolve } = Promise.withResolvers<void>()
      committed.push(resolve)
      wake.resolve()
      wake = Promise.withResolvers()
      return Promise.race([promise, running.then(() => {})])
    },
    transfer(count, change = () => ({}), options = {}) {
      const first = published
      published += count
      const Transfer = Array.from({ length: count }, (_, index) => {
        return { ...transferOf(first + index), ...change(first + index) }
      })
      return ledger.publish({ Transfer }, options)
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      wake.resolve()
      await running
      await project.close()
    },
  }
  return ledger
}

const serving: EndpointHealth = {
  ...{ name: 'https://bank.example:8545', state: 'serving', backOffs: 0, limit: 4, running: 1, answers: 12 },
  ...{ failures: { overloaded: 0, unavailable: 0, wrong: 0, refused: 0 }, latencyMs: 12 },
}

function shortName(message: string): string {
  return message.slice(message.lastIndexOf('.') + 1)
}

function codecOf(descriptor: DescMessage): MessageCodec<unknown> {
  return {
    name: descriptor.typeName,
    encode: (message, writer) => writer!.raw(toBinary(descriptor, fromJson(descriptor, message as JsonValue))),
  }
}
