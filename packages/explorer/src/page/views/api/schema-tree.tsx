import { useState } from 'preact/hooks'
import { InlineText } from '../../parts/inline-text.tsx'
import { resolved, type Schema, type Schemas, typeText } from './api-document.ts'

interface SchemaTreeProps {
  readonly schema: Schema
  readonly schemas: Schemas
}

/** The members of an object. Nested ones are made when they are opened, so schemas may contain themselves. */
export function SchemaTree({ schema, schemas }: SchemaTreeProps) {
  const { properties = {}, required = [] } = membersOf(schema, schemas)
  return (
    <ul class="schema-tree">
      {Object.entries(properties).map(([name, member]) => (
        <SchemaMember key={name} name={name} schema={member} schemas={schemas} isRequired={required.includes(name)} />
      ))}
    </ul>
  )
}

interface SchemaMemberProps extends SchemaTreeProps {
  readonly name: string
  readonly isRequired: boolean
}

function SchemaMember({ name, schema, schemas, isRequired }: SchemaMemberProps) {
  const [isOpen, setOpen] = useState(false)
  const hasMembers = membersOf(schema, schemas).properties !== undefined
  const line = (
    <>
      <code class="member-name">{name}</code>
      <span class="member-type">{typeText(schema)}</span>
      {isRequired || <span class="tag">optional</span>}
    </>
  )
  const description = schema.description && (
    <p class="muted" dir="auto">
      <InlineText text={schema.description} />
    </p>
  )
  if (!hasMembers)
    return (
      <li>
        <div class="member-line">{line}</div>
        {description}
      </li>
    )
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary class="member-line">{line}</summary>
        {isOpen && <SchemaTree schema={schema} schemas={schemas} />}
      </details>
      {description}
    </li>
  )
}

/** The object that a schema is, or a list of which it is. */
function membersOf(schema: Schema, schemas: Schemas): Schema {
  const found = resolved(schema, schemas)
  if (found.properties) return found
  if (found.items) return membersOf(found.items, schemas)
  if (typeof found.additionalProperties === 'object') return membersOf(found.additionalProperties, schemas)
  return {}
}
