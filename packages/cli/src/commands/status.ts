import { setTimeout as wait } from 'node:timers/promises'
import type { Logger, Queue } from '@headrace/queue'
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { exitCodes } from '../exit-code.ts'
import { addExample, addQueueAction, type Results } from '../output/result.ts'
import { findingsOf, type StatusFinding } from '../status/findings.ts'
import { readStatus } from '../status/queue-status.ts'
import { statusJson } from '../status/status-json.ts'
import { statusText } from '../status/status-text.ts'

interface StatusOptions {
  readonly watch?: true
}

export function addStatusCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('status')
    .description('show the connectors and gateways of a queue, and what needs attention')
    .argument('[connector]', 'show this one only: owner/package, or its lineage and instance')
    .option('--watch', 'show it again every 2 s, until stopped')
  addQueueAction(command, 'print a JSON object; with --watch one per line', context, show)
  addExample(command, 'connector status --queue kafka://localhost:9092 --watch')
}

const watchMs = 2000

async function* show(
  queue: Queue,
  only: string | undefined,
  { watch }: StatusOptions,
  context: CommandContext,
): Results {
  if (!watch) {
    const { result, findings } = await look(queue, only, context)
    yield result
    if (findings.length > 0) context.exitWith(exitCodes.mistake)
    return
  }
  const signal = context.shutdownSignal()
  while (!signal.aborted) {
    const { result } = await look(queue, only, context)
    yield context.isTerminal ? { ...result, text: () => clearScreen + result.text() } : result
    await wait(watchMs, undefined, { signal }).catch(() => {})
  }
}

/** ECMA-48: to the first column of the first line, and erase what follows. */
const clearScreen = '\u001b[H\u001b[J'

interface Look {
  readonly result: { json(): readonly unknown[]; text(): string }
  readonly findings: readonly StatusFinding[]
}

async function look(queue: Queue, only: string | undefined, { warn }: CommandContext): Promise<Look> {
  const status = await readStatus(queue, { log: warningLog(warn), now: Date.now(), only })
  const findings = findingsOf(status)
  const result = { json: () => [statusJson(status, findings)], text: () => statusText(status, findings) }
  return { result, findings }
}

function warningLog(warn: CommandContext['warn']): Logger {
  return { debug() {}, info() {}, warn: (_, message) => warn(message), error: (_, message) => warn(message) }
}
