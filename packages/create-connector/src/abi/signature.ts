import { EventFragment, type ParamType } from 'ethers'
import type { EventField, EventMessage } from './event-message.ts'
import { invalidAbi } from './invalid-abi.ts'

/**
 * The event as Solidity declares it, its parameters called as the fields of its message.
 *
 * @throws {UserError} `invalid_abi`: it cannot be declared so, as an event called `tuple`.
 */
export function declareEvent({ event, fields }: EventMessage, source: string): string {
  const declaration = `event ${event.name}(${fields.map(declareParam).join(', ')})`
  if (topicOf(declaration) === event.topicHash) return declaration
  throw invalidAbi(source, `its event "${event.name}" cannot be read from "${declaration}". Leave it out with --events`)
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
