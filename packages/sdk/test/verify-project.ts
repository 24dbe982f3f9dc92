import type { Queue } from '@headrace/queue'
import {
  type Connector,
  defineConnector,
  type EncodedMessages,
  type UnitChoice,
  type VerifyFinding,
  type VerifySummary,
  verifyConnector,
} from '@headrace/sdk'
import type { TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { type BlockUnit, unitOf } from './chain/connector.ts'
import type { schema } from './chain/schema.ts'

export interface VerifyProjectOptions {
  /** Default: all. */
  readonly compare?: UnitChoice
  /** Default: that of the project. */
  readonly queue?: Queue
}

export async function verifyProject<C>(
  { project, settings, queue }: TestProject,
  connector: Connector<typeof schema, C>,
  options: VerifyProjectOptions = {},
): Promise<{ findings: readonly VerifyFinding[]; summary: VerifySummary }> {
  const findings: VerifyFinding[] = []
  const summary = await verifyConnector({
    connector: connector as Connector<typeof schema, unknown>,
    ...{ project, settings, queue, compare: 'all', ...options },
    ...{ signal: new AbortController().signal, log: pino({ level: 'silent' }) },
    async onFinding(finding) {
      findings.push(finding)
    },
  })
  return { findings, summary }
}

/** Compares each unit with the block of that number, by default as `chainConnector` publishes it. */
export function comparingChain<C>(
  connector: Connector<typeof schema, C>,
  messagesOf: (number: number) => BlockUnit['messages'] | EncodedMessages<typeof schema> = (number) =>
    unitOf(number).messages,
): { readonly connector: Connector<typeof schema, C>; readonly compared: readonly number[] } {
  const compared: number[] = []
  return {
    compared,
    connector: defineConnector({
      ...connector,
      async *verify({ units }) {
        for await (const unit of units) {
          compared.push(unit.unit)
          yield* unit.differences(messagesOf(unit.unit - 1) ?? {})
        }
      },
    }),
  }
}
