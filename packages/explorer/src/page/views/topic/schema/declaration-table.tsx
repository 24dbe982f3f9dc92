import { beginning } from '../../../format/shorten.ts'
import type { JsonSchema, Topic } from '../../../service/types.ts'
import { jsonForm } from './json-form.ts'
import type { ProtoDeclaration, ProtoField } from './proto-outline.ts'

/** Characters of a comment that are shown. The whole one is in the source below. */
const commentLength = 2000

interface MessageTableProps {
  readonly declaration: ProtoDeclaration
  readonly topic: Topic
}

export function MessageTable({ declaration, topic }: MessageTableProps) {
  const { fullName, fields } = declaration
  const schema = topic.jsonSchema.$defs?.[fullName]
  const names = new Set(fields.map(({ name }) => name))
  return (
    <section class="declaration" aria-labelledby={idOf(fullName)}>
      <Heading declaration={declaration} />
      <div class="panel">
        <table class="grid-table fields">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Type</th>
              <th scope="col">In JSON</th>
              <th scope="col">Comment</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.name}>
                <th scope="row">
                  <bdi class="mono">{field.name}</bdi>
                  <FieldTags {...{ field, names }} topic={fullName === topic.message ? topic : undefined} />
                </th>
                <td data-label="Type">
                  <FieldType field={field} />
                </td>
                <td data-label="In JSON">{jsonForm(own(schema?.properties, field.name), topic.jsonSchema.$defs)}</td>
                <td class="comment" dir="auto">
                  {beginning(field.comment, commentLength)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

export function EnumTable({ declaration }: { readonly declaration: ProtoDeclaration }) {
  return (
    <section class="declaration" aria-labelledby={idOf(declaration.fullName)}>
      <Heading declaration={declaration} />
      <div class="panel">
        <table class="grid-table fields values">
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col" class="number">
                Number
              </th>
              <th scope="col">Comment</th>
            </tr>
          </thead>
          <tbody>
            {declaration.values.map(({ name, number, comment }) => (
              <tr key={name}>
                <th scope="row">
                  <bdi class="mono">{name}</bdi>
                </th>
                <td class="number mono" data-label="Number">
                  {number}
                </td>
                <td class="comment" dir="auto">
                  {beginning(comment, commentLength)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Heading({ declaration: { kind, fullName, comment } }: { readonly declaration: ProtoDeclaration }) {
  return (
    <header>
      <h2 id={idOf(fullName)} tabIndex={-1}>
        <span class="muted">{kind}</span> <bdi class="mono">{fullName}</bdi>
      </h2>
      {comment && (
        <div class="comment" dir="auto">
          {comment
            .slice(0, 2 * commentLength)
            .split(/\n{2,}/)
            .map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
        </div>
      )}
    </header>
  )
}

interface FieldTagsProps {
  readonly field: ProtoField
  readonly names: ReadonlySet<string>
  /** If the field is one of its records. */
  readonly topic: Topic | undefined
}

function FieldTags({ field: { name, label, oneof }, names, topic }: FieldTagsProps) {
  const exact = `${name}Exact`
  return (
    <>
      {topic?.key === name && <span class="tag good">key</span>}
      {topic?.time === name && <span class="tag good">time</span>}
      {label === 'optional' && <span class="tag">optional</span>}
      {oneof && (
        <span class="tag" title={`At most one field of ${oneof} is present`}>
          one of {oneof}
        </span>
      )}
      {names.has(exact) && (
        <span class="tag" title={`A value that does not fit is in ${exact}`}>
          or {exact}
        </span>
      )}
    </>
  )
}

function FieldType({ field: { type, label, refersTo } }: { readonly field: ProtoField }) {
  return (
    <code>
      {label === 'repeated' && <span class="muted">repeated </span>}
      {refersTo ? (
        <button type="button" class="type-link" onClick={() => goTo(refersTo)}>
          {type}
        </button>
      ) : (
        type
      )}
    </code>
  )
}

/** Not by the address: its fragment is the route. */
function goTo(fullName: string): void {
  const heading = document.getElementById(idOf(fullName))
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}

function idOf(fullName: string): string {
  return `schema-${fullName}`
}

function own(properties: JsonSchema['properties'] = {}, name: string): JsonSchema | undefined {
  return Object.hasOwn(properties, name) ? properties[name] : undefined
}
