import { useMemo } from 'preact/hooks'
import { CodeBlock } from '../../parts/code-block.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Download } from '../../parts/icons.tsx'
import { linkTo } from '../../route/route.ts'
import type { Topic } from '../../service/types.ts'
import { EnumTable, MessageTable } from './schema/declaration-table.tsx'
import { save } from './schema/download.ts'
import { definitionName } from './schema/json-form.ts'
import { outlineOf, type ProtoDeclaration } from './schema/proto-outline.ts'
import { protoTokens } from './schema/proto-tokens.ts'

/** What the records of a topic contain: as JSON has it, and as the schema that it comes from. */
export function SchemaTab({ topic }: { readonly topic: Topic }) {
  const { proto, jsonSchema } = topic
  const declarations = useMemo(() => declarationsOf(topic), [proto, jsonSchema, topic.message])
  return (
    <div class="schema">
      <SchemaFacts topic={topic} />
      <section aria-label="Fields">
        {declarations.map((declaration) =>
          declaration.kind === 'enum' ? (
            <EnumTable key={declaration.fullName} declaration={declaration} />
          ) : (
            <MessageTable key={declaration.fullName} declaration={declaration} topic={topic} />
          ),
        )}
      </section>
      <section aria-labelledby="schema-source">
        <h2 id="schema-source">Source</h2>
        {proto === undefined ? <JsonSource topic={topic} /> : <ProtoSource topic={topic} proto={proto} />}
      </section>
    </div>
  )
}

function ProtoSource({ topic, proto }: { readonly topic: Topic; readonly proto: string }) {
  const { descriptors = '' } = topic
  return (
    <CodeBlock
      text={proto}
      what="the .proto text"
      title={`${topic.message}.proto`}
      tokensOf={protoTokens}
      actions={
        <>
          <SaveButton name={`${topic.topic}.proto`} label=".proto" content={proto} />
          <SaveButton
            name={`${topic.topic}.binpb`}
            label="Descriptors"
            title="Download the serialized google.protobuf.FileDescriptorSet"
            content={() => Uint8Array.from(atob(descriptors), (one) => one.charCodeAt(0))}
          />
        </>
      }
    />
  )
}

/** Of an adopted topic: its Avro schema, or the JSON Schema of its values. */
function JsonSource({ topic: { topic, avro, jsonSchema } }: { readonly topic: Topic }) {
  const text = avro ?? JSON.stringify(jsonSchema, null, 2)
  const name = `${topic}.${avro === undefined ? 'schema.json' : 'avsc'}`
  return (
    <CodeBlock
      text={text}
      what="the schema"
      title={name}
      actions={<SaveButton name={name} label={avro === undefined ? 'JSON Schema' : '.avsc'} content={text} />}
    />
  )
}

/** The message of the topic first, then what it refers to, in the order in which it does. */
function declarationsOf({ proto, message, jsonSchema }: Topic): readonly ProtoDeclaration[] {
  const outline = outlineOf(proto ?? '')
  const names = new Set([definitionName(jsonSchema.$ref ?? message ?? '')])
  for (const name of names)
    for (const { refersTo } of outline.get(name)?.fields ?? []) if (refersTo) names.add(refersTo)
  return [...names].flatMap((name) => outline.get(name) ?? [])
}

function SchemaFacts({ topic }: { readonly topic: Topic }) {
  const { connector, message, key, time, bytes, partitions, successor } = topic
  return (
    <dl class="panel schema-facts">
      <div>
        <dt>Message</dt>
        <dd class="mono">
          {message === null ? <span class="muted">none</span> : <bdi>{message}</bdi>}
          {message !== null && <CopyButton text={message} what="the name of the message" />}
        </dd>
      </div>
      <div>
        <dt>{connector ? 'Version' : 'Format'}</dt>
        <dd class="mono">{connector ? connector.version : topic.format}</dd>
      </div>
      <div>
        <dt>Record key</dt>
        <dd class="mono">{key ?? <span class="muted">{connector ? 'none' : 'of the record'}</span>}</dd>
      </div>
      <div>
        <dt>Record time</dt>
        <dd class="mono">{time ?? <span class="muted">{connector ? 'time of publishing' : 'of the record'}</span>}</dd>
      </div>
      <div>
        <dt>Bytes in JSON</dt>
        <dd>{bytes === 'hex' ? '0x… hex' : 'base64'}</dd>
      </div>
      <div>
        <dt>Partitions</dt>
        <dd>{partitions}</dd>
      </div>
      {successor && (
        <div>
          <dt>Replaced by</dt>
          <dd class="mono">
            <a class="link" href={linkTo(['topics', successor])}>
              {successor}
            </a>
          </dd>
        </div>
      )}
    </dl>
  )
}

interface SaveButtonProps {
  readonly name: string
  readonly label: string
  readonly title?: string
  readonly content: string | (() => Uint8Array<ArrayBuffer>)
}

function SaveButton({ name, label, title = `Download ${name}`, content }: SaveButtonProps) {
  return (
    <button
      type="button"
      class="button small plain"
      title={title}
      onClick={() => save(name, typeof content === 'string' ? content : content())}
    >
      <Download />
      <span>{label}</span>
    </button>
  )
}
