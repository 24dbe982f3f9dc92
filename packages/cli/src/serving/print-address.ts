import type { CommandContext } from '../command-context.ts'
import { jsonLine } from '../output/json-line.ts'
import type { ServeOptions } from './serve-options.ts'

/** Tells where the gateway answers, once it does. */
export function printAddress(url: string, { json }: ServeOptions, { output }: CommandContext): Promise<void> {
  return output.write(json ? jsonLine({ url }) : `${url}\n`)
}
