import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { addQueueOptions, openExistingQueue, type UsedQueue } from '../options/queue-options.ts'
import type { Output } from './output.ts'
import { formatTable, type Table } from './table.ts'

export interface Result {
  /** With `--json`: values, one per line, or encoded lines. */
  json(): readonly unknown[] | Uint8Array
  /** Without `--json`: whole lines, or a table. */
  text(): string | Table
}

/** Each result is printed when it is yielded. */
export type Results = AsyncGenerator<Result, void, undefined>

/** The action gets the command's arguments, its options and the context. */
export function addResultAction(
  command: Command,
  description: string,
  context: CommandContext,
  action: (...args: never[]) => Results,
): Command {
  return command.option('--json', description).action(async (...args: unknown[]) => {
    const options = command.opts<{ readonly json?: true }>()
    const results = action(...([...args.slice(0, -1), context] as never[]))
    for await (const result of results) await printResult(result, options, context.output)
  })
}

/** As `addResultAction`, with the options of a queue. The action gets the open queue first; it must exist already. */
export function addQueueAction(
  command: Command,
  description: string,
  context: CommandContext,
  action: (queue: UsedQueue, ...args: never[]) => Results,
): Command {
  addResultAction(command, description, context, async function* (...args: never[]) {
    await using queue = await openExistingQueue(command.opts(), context)
    yield* action(queue, ...args)
  })
  return addQueueOptions(command)
}

export function addExample(command: Command, example: string): Command {
  return command.addHelpText('after', `\nExample:\n  $ ${example}`)
}

export async function printResult(
  { json, text }: Result,
  options: { readonly json?: true },
  output: Output,
): Promise<void> {
  const chunk = options.json ? jsonLines(json()) : textLines(text())
  if (chunk.length > 0) await output.write(chunk)
}

function jsonLines(form: ReturnType<Result['json']>): string | Uint8Array {
  return form instanceof Uint8Array ? form : form.map(jsonLine).join('')
}

function textLines(form: ReturnType<Result['text']>): string {
  return typeof form === 'string' ? form : formatTable(form)
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
