import type { EventMessage } from './event-message.ts'
import { declareEvent } from './signature.ts'

/**
 * Makes `src/events.ts`: which events are decoded.
 *
 * @throws {UserError} `invalid_abi`
 */
export function makeEventsFile(contract: string, messages: readonly EventMessage[], source: string): string {
  const lines = messages.map((each) => `  ${each.message}: '${declareEvent(each, source)}',`)
  return [
    "import type { Messages } from './generated/schema.ts'",
    '',
    '/**',
    ` * The events that are published, each under the name of its message in proto/${contract}.proto. A parameter is called as`,
    ' * its field there. For another event, add it here, its message there, and its topic in manifest.yaml.',
    ' */',
    'export const events = {',
    ...lines,
    '} as const satisfies Partial<Record<keyof Messages, string>>',
    '',
  ].join('\n')
}
