import fc from 'fast-check'

/** A .proto file that can be changed and written again. */
export interface ProtoModel {
  readonly messages: readonly MessageModel[]
  /** Values of the one enum. */
  readonly values: readonly { readonly name: string; readonly number: number }[]
}

interface MessageModel {
  readonly name: string
  readonly fields: readonly FieldModel[]
  readonly reserved: readonly (number | string)[]
}

interface FieldModel {
  /** No two messages have fields of the same name. */
  readonly name: string
  readonly number: number
  readonly type: string
  readonly cardinality: '' | 'optional' | 'repeated' | 'oneof'
}

/** Changes a file. `pick` chooses what is changed. */
export type ProtoChange = (model: ProtoModel, pick: (count: number) => number) => ProtoModel

/** Three messages that may contain each other, and an enum. */
export function arbitraryProto(): fc.Arbitrary<ProtoModel> {
  const values = [0, 1, 2].map((number) => ({ name: `E_${number}`, number }))
  return fc.tuple(...['M', 'P', 'Q'].map(arbitraryFields)).map((fields) => ({
    messages: ['M', 'P', 'Q'].map((name, index) => ({ name, fields: fields[index]!, reserved })),
    values,
  }))
}

function arbitraryFields(message: string): fc.Arbitrary<FieldModel[]> {
  const form = fc.record({ type: fc.constantFrom(...types), cardinality: fc.constantFrom(...cardinalities) })
  return fc
    .array(form, { minLength: 1, maxLength: 5 })
    .map((forms) => forms.map((one, index) => field(`${message.toLowerCase()}_${index + 1}`, index + 1, one)))
}

/** A map has no cardinality. */
function field(name: string, number: number, { type, cardinality }: Omit<FieldModel, 'name' | 'number'>): FieldModel {
  return { name, number, type, cardinality: type.startsWith('map') ? '' : cardinality }
}

const reserved = [90, 'removed']
const scalars = [
  'int32',
  'sint32',
  'uint32',
  'int64',
  'uint64',
  'fixed32',
  'double',
  'float',
  'bool',
  'string',
  'bytes',
]
const types = [...scalars, 'E', 'P', 'Q', 'map<string, int32>', 'map<int32, P>', 'map<string, E>']
const cardinalities = ['', '', 'optional', 'repeated', 'oneof'] as const

/** Writes a model as a .proto file. */
export function printProto({ messages, values }: ProtoModel): string {
  const blocks = messages.map(({ name, fields, reserved }) => {
    const line = ({ cardinality, type, name, number }: FieldModel) =>
      `  ${cardinality === 'oneof' ? '' : cardinality} ${type} ${name} = ${number};`
    const members = fields.filter(({ cardinality }) => cardinality === 'oneof').map(line)
    const others = fields.filter(({ cardinality }) => cardinality !== 'oneof').map(line)
    const oneof = members.length > 0 ? ['  oneof choice {', ...members, '  }'] : []
    const kept = reserved.map((one) => `  reserved ${JSON.stringify(one)};`)
    return [`message ${name} {`, ...kept, ...others, ...oneof, '}'].join('\n')
  })
  const named = values.map(({ name, number }) => `  ${name} = ${number};`)
  const alias = new Set(values.map(({ number }) => number)).size < values.length ? ['  option allow_alias = true;'] : []
  return ['syntax = "proto3";', ...blocks, 'enum E {', ...alias, ...named, '}', ''].join('\n')
}

/** One to three changes, about half of them compatible. */
export function arbitraryChange(): fc.Arbitrary<(model: ProtoModel) => ProtoModel> {
  const choice = fc.tuple(fc.noBias(fc.nat(changes.length - 1)), fc.infiniteStream(fc.noBias(fc.nat())))
  return fc.array(choice, { minLength: 1, maxLength: 3 }).map((choices) => (model) => {
    let changed = model
    for (const [which, numbers] of choices)
      changed = changes[which]!(changed, (count) => (numbers.next().value as number) % count)
    return changed
  })
}

const changes: readonly ProtoChange[] = [
  // Compatible changes.
  (model, pick) =>
    inMessage(model, pick, (message) => {
      const number = 200 + message.fields.length + pick(50)
      const form = { type: types[pick(types.length)]!, cardinality: cardinalities[pick(cardinalities.length)]! }
      return { ...message, fields: [...message.fields, field(`${message.name.toLowerCase()}_${number}`, number, form)] }
    }),
  (model, pick) =>
    inMessage(model, pick, (message) => {
      const removed = message.fields[pick(message.fields.length)]
      if (!removed) return message
      const fields = message.fields.filter((one) => one !== removed)
      return { ...message, fields, reserved: [...message.reserved, removed.number, removed.name] }
    }),
  (model, pick) => inMessage(model, pick, (message) => ({ ...message, fields: message.fields.toReversed() })),
  (model, pick) =>
    inMessage(model, pick, (message) => ({ ...message, reserved: [...message.reserved, 150 + pick(9)] })),
  (model, pick) =>
    inValues(model, (values) => [...values, { name: `E_new_${values.length}`, number: 777_000 + pick(9) }]),
  (model) =>
    inValues(model, (values) => [...values, { name: `E_other_${values.length}`, number: values.at(-1)!.number }]),
  // Incompatible changes.
  (model, pick) =>
    inField(model, pick, (one) => field(one.name, one.number, { ...one, type: types[pick(types.length)]! })),
  (model, pick) =>
    inField(model, pick, (one) =>
      field(one.name, one.number, { ...one, cardinality: cardinalities[pick(cardinalities.length)]! }),
    ),
  (model, pick) => inField(model, pick, (one) => ({ ...one, name: `${one.name}_renamed` })),
  (model, pick) =>
    inField(model, pick, (one) => field(`${one.name}_other`, one.number, { ...one, type: types[pick(types.length)]! })),
  (model, pick) => inField(model, pick, (one) => ({ ...one, number: 300 + one.number })),
  (model, pick) => inField(model, pick, (one) => ({ ...one, number: 90 })),
  (model, pick) => inMessage(model, pick, (message) => ({ ...message, fields: message.fields.slice(1) })),
  (model, pick) =>
    inMessage(model, pick, (message) => {
      const [removed, ...fields] = message.fields
      if (!removed) return message
      return { ...message, fields: [...fields, { ...removed, name: `${removed.name}_moved` }] }
    }),
  (model, pick) => inMessage(model, pick, (message) => ({ ...message, reserved: message.reserved.slice(pick(2)) })),
  (model) => inValues(model, (values) => values.slice(0, -1)),
  (model) => inValues(model, ([zero, one, ...others]) => [zero!, { ...one!, name: 'E_renamed' }, ...others]),
  (model) => inValues(model, ([zero, one, ...others]) => [zero!, { ...one!, number: 9 }, ...others]),
  (model) => inValues(model, ([zero, ...others]) => [{ name: 'E_first', number: 0 }, zero!, ...others]),
]

function inMessage(
  model: ProtoModel,
  pick: (count: number) => number,
  change: (message: MessageModel) => MessageModel,
): ProtoModel {
  const changed = model.messages[pick(model.messages.length)]
  return { ...model, messages: model.messages.map((message) => (message === changed ? change(message) : message)) }
}

function inField(
  model: ProtoModel,
  pick: (count: number) => number,
  change: (field: FieldModel) => FieldModel,
): ProtoModel {
  return inMessage(model, pick, (message) => {
    const changed = message.fields[pick(Math.max(1, message.fields.length))]
    return { ...message, fields: message.fields.map((one) => (one === changed ? change(one) : one)) }
  })
}

function inValues(model: ProtoModel, change: (values: ProtoModel['values']) => ProtoModel['values']): ProtoModel {
  const values = change(model.values)
  return values.length < 2 ? model : { ...model, values }
}
