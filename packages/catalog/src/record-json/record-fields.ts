import type { DescMessage } from '@bufbuild/protobuf'
import { UserError } from '@headrace/queue'
import { didYouMean } from '../nearest-name.ts'
import { registeredMessage } from '../registry/registered-message.ts'
import type { TopicRegistration } from '../registry/registration.ts'
import { messageForm } from './message-form.ts'

/**
 * Reads names of fields of a message, separated by commas, without spaces. Returns them in the order of the message.
 *
 * @throws {UserError} `invalid_fields`: a name is unknown, empty or repeated, or the message is rendered as one value.
 * @throws {UserError} `invalid_schema`: the descriptors do not contain the registered message.
 */
export function parseFields(registration: TopicRegistration, text: string): string[] {
  return parseFieldsOf(registration.topic, registeredMessage(registration), text)
}

export function parseFieldsOf(topic: string, message: DescMessage, text: string): string[] {
  if (messageForm(message) !== 'fields')
    throw new UserError('invalid_fields', `Records of ${topic} have one value each, without fields.`)
  return parseKnownNames(
    text,
    message.name,
    message.fields.map(({ name }) => name),
  )
}

/** @param known - In the order in which they are returned. */
export function parseKnownNames(text: string, type: string, known: readonly string[]): string[] {
  const names = parseNames(text)
  for (const name of names)
    if (!known.includes(name))
      throw new UserError(
        'invalid_fields',
        `There is no field "${name}" in ${type}.${didYouMean(name, known)} Its fields are ${known.join(', ')}.`,
      )
  return known.filter((name) => names.includes(name))
}

/** Any names. */
export function parseNames(text: string): string[] {
  const names = text.split(',')
  for (const [index, name] of names.entries()) {
    if (name === '') throw new UserError('invalid_fields', 'A name of a field is empty. Separate names with one comma.')
    if (names.indexOf(name) !== index) throw new UserError('invalid_fields', `The field "${name}" is named twice.`)
  }
  return names
}
