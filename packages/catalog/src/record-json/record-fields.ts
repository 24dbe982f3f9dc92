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
  const message = registeredMessage(registration)
  if (messageForm(message) !== 'fields')
    throw new UserError('invalid_fields', `Records of ${registration.topic} have one value each, without fields.`)
  const known = message.fields.map(({ name }) => name)
  const names = text.split(',')
  for (const [index, name] of names.entries()) {
    if (name === '') throw new UserError('invalid_fields', 'A name of a field is empty. Separate names with one comma.')
    if (names.indexOf(name) !== index) throw new UserError('invalid_fields', `The field "${name}" is named twice.`)
    if (!known.includes(name))
      throw new UserError(
        'invalid_fields',
        `There is no field "${name}" in ${message.name}.${didYouMean(name, known)} Its fields are ${known.join(', ')}.`,
      )
  }
  return known.filter((name) => names.includes(name))
}
