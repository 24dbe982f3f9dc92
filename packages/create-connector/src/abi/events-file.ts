import { EventFragment, type ParamType } from 'ethers'
import type { EventField, EventMessage } from './event-message.ts'
import { invalidAbi } from './read-abi.ts'

export function makeEventsFile(contract: string, messages: readonly EventMessage[], source: string): string {
  const lines = messages.map((each) => `  ${each.message}: '${declareEvent(each, source)}',`)
  return [
    "import type { Messages } from './generated/schema.ts'",
    '',
    '/**',
    ` * The published events, by the name of the message in proto/${contract}.proto. A parameter has the name of its field`,
    ' * there. To publish another event, add it here, its message there, and its topic in manifest.yaml.',
    ' */',
    'export const events = {',
    ...lines,
    '} as const satisfies Partial<Record<keyof Messages, string>>',
    '',
  ].join('\n')
}

/** In Solidity. Throws `invalid_abi` if it cannot be declared, e.g. because its name is `tuple`. */
export function declareEvent({ event, fields }: EventMessage, source: string): string {
  const declaration = `event ${event.name}(${fields.map(declareParam).join(', ')})`
  if (topicOf(declaration) === event.topicHash) return declaration
  throw invalidAbi(source, `its event "${event.name}" cannot be declared as "${declaration}". Exclude it with --events`)
}

function declareParam({ name, param, components }: EventField): string {
  return `${typeOf(param, components)}${param.indexed ? ' indexed' : ''} ${name}`
}

function typeOf(param: ParamType, components: readonly EventField[]): string {
  if (param.isArray()) {
    const length = param.arrayLength === -1 ? '' : param.arrayLength
    return `${typeOf(param.arrayChildren, components)}[${length}]`
  }
  return param.isTuple() ? `tuple(${components.map(declareParam).join(', ')})` : param.type
}

function topicOf(declaration: string): string | undefined {
  try {
    return EventFragment.from(declaration).topicHash
  } catch {
    return undefined
  }
}
