import type { CommandContext } from '../command-context.ts'
import { jsonLine } from '../output/json-line.ts'
import type { ServeOptions } from './serve-options.ts'

/** Prints the address of the gateway, and the key of this run, if any. */
export function printAddress(
  { url, key }: { readonly url: string; readonly key: string | undefined },
  { json }: ServeOptions,
  { output }: CommandContext,
): Promise<void> {
  if (json) return output.write(jsonLine({ url, ...(key !== undefined && { key }) }))
  return output.write(key === undefined ? `${url}\n` : `${url}\n${key}\n`)
}
