import type { DescMessage } from '@bufbuild/protobuf'
import { schemaFromDescriptors } from '../schema/schema-set.ts'
import type { EarlierForm, TopicRegistration } from './registration.ts'

export interface FormChange {
  /** What is registered so far. */
  readonly before: TopicRegistration | undefined
  /** The newest unit that was published before, where a run registers. Others do not know until when one publishes. */
  readonly lastUnit?: number | undefined
}

/** Adds to a registration the forms that its topic had before. */
export function withEarlierForms(registration: TopicRegistration, { before, lastUnit }: FormChange): TopicRegistration {
  if (!before) return registration
  const forms = [...(before.earlier ?? []), ...(isSameForm(before, registration) ? [] : [formOf(before)])]
  if (forms.length === 0) return registration
  const closed = forms.map((form) => ({
    ...form,
    ...(form.lastUnit === undefined && lastUnit !== undefined && { lastUnit }),
  }))
  // What was registered and never published in has no units.
  const earlier = closed.filter(
    (form, at) => form.lastUnit === undefined || form.lastUnit > (closed[at - 1]?.lastUnit ?? 0),
  )
  return earlier.length === 0 ? registration : { ...registration, earlier }
}

function isSameForm(one: TopicRegistration, other: TopicRegistration): boolean {
  if (one.key !== other.key || one.time !== other.time || one.message !== other.message) return false
  if (Buffer.compare(one.descriptors, other.descriptors) === 0) return true
  return JSON.stringify(formOf(one).fields) === JSON.stringify(formOf(other).fields)
}

function formOf({ key, time, message, descriptors }: TopicRegistration): EarlierForm {
  const fields: Record<string, readonly number[]> = {}
  const note = (type: DescMessage | undefined): void => {
    if (!type || type.typeName in fields) return
    fields[type.typeName] = type.fields.map(({ number }) => number).sort((one, other) => one - other)
    for (const field of type.fields) note(field.message)
  }
  note(schemaFromDescriptors(descriptors).message(message))
  return { ...(key !== undefined && { key }), ...(time !== undefined && { time }), fields }
}
