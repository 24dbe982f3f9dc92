import type { DescMessage } from '@bufbuild/protobuf'
import { UserError } from '@headrace/queue'
import { schemaFromDescriptors } from '../schema/schema-set.ts'
import type { EarlierSchema } from './earlier-schema.ts'

/** @throws {UserError} `invalid_schema`: the descriptors do not contain the registered message. */
export function registeredMessage({ topic, message: name, descriptors }: EarlierSchema): DescMessage {
  const message = schemaFromDescriptors(descriptors).message(name)
  if (message) return message
  throw new UserError(
    'invalid_schema',
    `The schema registered for "${topic}" has no message "${name}". Register the topic again.`,
  )
}
