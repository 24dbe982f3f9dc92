import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import type { Output } from './output.ts'
import { formatTable, type Table } from './table.ts'

export interface Result {
  /** With `--json`: values, one per line, or encoded lines. */
  json(): readonly unknown[] | Uint8Array
  /** Without `--json`: whole lines, or a table. */
  text(): string | Uint8Array | Table
}

/** At most one, or some that are printed as they come. */
export type Results = Promise<Result | undefined> | AsyncGenerator<Result, void, undefined>

/** The action gets the command's arguments, its options and the context. Its results are printed. */
export function addResultAction(
  command: Command,
  description: string,
  context: CommandContext,
  action: (...args: never[]) => Results,
): Command {
  const { output } = context
  return command.option('--json', description).action(async (...args: unknown[]) => {
    const options = command.opts<{ readonly json?: true }>()
    const results = action(...([...args.slice(0, -1), context] as never[]))
    if (Symbol.asyncIterator in results) for await (const result of results) await printResult(result, options, output)
    else {
      const result = await results
      if (result) await printResult(result, options, output)
    }
  })
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

function textLines(form: ReturnType<Result['text']>): string | Uint8Array {
  return typeof form === 'string' || form instanceof Uint8Array ? form : formatTable(form)
}

export function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
