import { useState } from 'preact/hooks'
import { useExplorer } from '../../explorer.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import type { CodeToken } from '../../parts/code-token.ts'
import { InlineText } from '../../parts/inline-text.tsx'
import { linkTo } from '../../route/route.ts'
import { programTokens } from '../topic/use-it/program-tokens.ts'
import {
  type Endpoint,
  needsKey,
  type Parameter,
  type Refusal,
  type Response,
  refusalsOf,
  type Schema,
  type Schemas,
  typeText,
} from './api-document.ts'
import { curlLine } from './curl-line.ts'
import { exampleOf } from './example.ts'
import { SchemaTree } from './schema-tree.tsx'

interface EndpointSectionProps {
  readonly endpoint: Endpoint
  readonly schemas: Schemas
}

export function EndpointSection({ endpoint, schemas }: EndpointSectionProps) {
  const { service } = useExplorer()
  const { operationId, method, path, summary = '', description, parameters = [], requestBody } = endpoint
  const refusals = refusalsOf(endpoint)
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  return (
    <section
      class="endpoint"
      id={anchorOf(operationId)}
      aria-labelledby={`${anchorOf(operationId)}-title`}
      tabIndex={-1}
    >
      <header>
        <h2 id={`${anchorOf(operationId)}-title`}>
          <a href={linkTo(['api', operationId])}>
            <Method method={method} /> <span class="mono">{path}</span>
          </a>
        </h2>
        <span class="tag">{needsKey(endpoint) ? 'needs a key' : 'no key'}</span>
      </header>
      <p>
        <InlineText text={[summary, description].filter(Boolean).join('. ').replace(/\.\. /, '. ')} />
      </p>
      <CodeBlock text={curlLine(endpoint, service.url)} what="the command" title="curl" tokensOf={shellTokens} />
      {parameters.length > 0 && <Parameters parameters={parameters} />}
      {body && <Form title="Body" schema={body} schemas={schemas} />}
      {Object.entries(endpoint.responses)
        .filter(([status]) => Number(status) < 400)
        .map(([status, response]) => (
          <Answer key={status} {...{ status, response, schemas }} />
        ))}
      {refusals.length > 0 && <Refusals refusals={refusals} />}
    </section>
  )
}

function shellTokens(text: string): readonly CodeToken[] {
  return programTokens(text, 'sh')
}

export function anchorOf(name: string): string {
  return `api-${name}`
}

export function Method({ method }: { readonly method: string }) {
  return <span class={`method ${method.toLowerCase()}`}>{method}</span>
}

function Parameters({ parameters }: { readonly parameters: readonly Parameter[] }) {
  return (
    <div class="panel">
      <table class="grid-table parameters">
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            <th scope="col">Value</th>
            <th scope="col">Default</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {parameters.map(({ name, in: place, required, description = '', schema }) => (
            <tr key={`${place} ${name}`}>
              <th scope="row">
                <code>{name}</code> {place !== 'query' && <span class="tag">{place}</span>}
                {required && place === 'query' && <span class="tag">required</span>}
              </th>
              <td data-label="Value">{typeText(schema)}</td>
              <td data-label="Default">{schema.default === undefined ? '' : <code>{String(schema.default)}</code>}</td>
              <td class="meaning">
                <InlineText text={description} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface AnswerProps {
  readonly status: string
  readonly response: Response
  readonly schemas: Schemas
}

function Answer({ status, response: { description, headers = {}, content = {} }, schemas }: AnswerProps) {
  const names = Object.entries(headers)
  return (
    <div class="answer">
      <h3>
        <span class="status good">{status}</span> <InlineText text={description} />
      </h3>
      {Object.entries(content).map(([type, { schema }]) =>
        schema ? <Form key={type} title={type} schema={schema} schemas={schemas} /> : null,
      )}
      {names.length > 0 && (
        <details class="more">
          <summary>
            {names.length} {names.length === 1 ? 'header' : 'headers'}
          </summary>
          <dl class="header-list">
            {names.map(([name, header]) => (
              <div key={name}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd class="muted">
                  <InlineText text={header.description ?? ''} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </div>
  )
}

interface FormProps {
  readonly title: string
  readonly schema: Schema
  readonly schemas: Schemas
}

/** A schema and an example of it, side by side. They are made when they are opened. */
export function Form({ title, schema, schemas }: FormProps) {
  const [isOpen, setOpen] = useState(false)
  const example = isOpen ? exampleOf(schema, schemas) : undefined
  return (
    <details class="more form" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title} <span class="muted">{typeText(schema)}</span>
      </summary>
      {isOpen && (
        <div class="form-parts">
          <SchemaTree schema={schema} schemas={schemas} />
          {example !== undefined && (
            <CodeBlock text={JSON.stringify(example, null, 2)} what="the example" title="Example" />
          )}
        </div>
      )}
    </details>
  )
}

function Refusals({ refusals }: { readonly refusals: readonly Refusal[] }) {
  return (
    <details class="more">
      <summary>
        Refusals <span class="muted">{refusals.length} codes</span>
      </summary>
      <ul class="refusals">
        {refusals.map(({ status, code, text }) => (
          <li key={`${status} ${code}`}>
            <span class="status">{status}</span>
            <code>{code}</code>
            <p class="muted">
              <InlineText text={text} />
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}
