import { readFile } from 'node:fs/promises'
import { UserError } from '@headrace/queue'
import { checkAvroSchema } from '../avro/parse-avro-schema.ts'
import { explainFileMistake } from '../file-mistake.ts'
import { formatProblem } from '../problem.ts'
import { compileProtos } from '../schema/compile-protos.ts'
import type { RegisteredSchema, SchemaRegistryClient } from '../schema-registry/registry-client.ts'
import { compileRegistered, type ProtoWithFile } from '../topic-format/registered-protos.ts'
import type { Adoption } from './adoption.ts'

export interface AdoptionRequest
  extends Pick<Adoption, 'topic' | 'format' | 'framing' | 'keyForm' | 'bytes' | 'partitions'> {
  /** Absolute path of a .proto file, an Avro schema or a JSON Schema. */
  readonly schemaFile?: string | undefined
  readonly schemaRegistry?: SchemaRegistryClient | undefined
  /** Of the schema registry. By default `<topic>-value`, as Confluent's serializers have it. */
  readonly subject?: string | undefined
  /** Full name or last part of the protobuf message. By default the only one, or with a registry the first. */
  readonly message?: string | undefined
}

/**
 * Reads the schema of a topic that other programs write, from a file or from the newest version in a registry.
 *
 * @throws {UserError} `adoption_refused`: a schema is missing, cannot be read, or is of another format.
 * @throws The errors of a schema registry, see `SchemaRegistryClient`.
 */
export async function describeAdoption(request: AdoptionRequest): Promise<Adoption> {
  const { topic, format, framing, keyForm, bytes, partitions, schemaFile, schemaRegistry } = request
  const common = {
    ...{ topic, format, framing, keyForm, bytes, partitions },
    ...(schemaRegistry && { schemaRegistry: schemaRegistry.url }),
  }
  if (schemaFile === undefined && !schemaRegistry && format !== 'json')
    throw adoptionRefused(
      `The values of "${topic}" are ${format}, whose schema must be known. Give a file or a registry.`,
    )
  const registered = await schemaRegistry?.readVersion(request.subject ?? `${topic}-value`, 'latest')
  if (registered && registered.type !== format.toUpperCase())
    throw adoptionRefused(`The schema in the registry is of type ${registered.type}, and not ${format.toUpperCase()}.`)
  if (format === 'protobuf') {
    const { schema, message } = await readMessage(request, registered)
    return { ...common, message, descriptors: schema.descriptors }
  }
  const text = registered?.text ?? (schemaFile === undefined ? undefined : await readText(schemaFile))
  if (text === undefined) return common
  const references = [...(registered?.referenced.values() ?? [])]
  if (format === 'json') {
    parseSchemaText(text, topic)
    return { ...common, schema: text }
  }
  const name = checkAvroSchema({ text, references }, (found) => invalidSchema(topic, found))
  return {
    ...{ ...common, schema: text },
    ...(name !== undefined && { message: name }),
    ...(references.length > 0 && { references }),
  }
}

export function adoptionRefused(message: string): UserError {
  return new UserError('adoption_refused', message)
}

function invalidSchema(topic: string, found: string): UserError {
  return adoptionRefused(`The schema of "${topic}" is not valid: ${found}. Correct it.`)
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw adoptionRefused(`${file} cannot be read: ${explainFileMistake(error as Error)}.`)
  }
}

function parseSchemaText(text: string, topic: string): void {
  let schema: unknown
  try {
    schema = JSON.parse(text)
  } catch (error) {
    throw invalidSchema(topic, `it is not JSON: ${(error as Error).message}`)
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw invalidSchema(topic, 'it is not a JSON object')
}

async function readMessage(
  { topic, schemaFile, message }: AdoptionRequest,
  registered: RegisteredSchema | undefined,
): Promise<Pick<ProtoWithFile, 'schema'> & { readonly message: string }> {
  const { schema, file } = registered ? await compile(registered, topic) : await compileFile(schemaFile!)
  const names = file.messages.map(({ typeName }) => typeName)
  const wanted = message ?? (registered || names.length === 1 ? names[0] : undefined)
  const found = schema.message(wanted ?? '')?.typeName ?? names.find((name) => name.endsWith(`.${wanted}`))
  if (found !== undefined) return { schema, message: found }
  const which = wanted === undefined ? 'The schema has several messages' : `The schema has no message "${wanted}"`
  throw adoptionRefused(`${which}. Name one of them: ${names.join(', ')}.`)
}

async function compile(registered: RegisteredSchema, topic: string): Promise<ProtoWithFile> {
  try {
    return await compileRegistered(registered)
  } catch (error) {
    throw invalidSchema(topic, (error as Error).message)
  }
}

async function compileFile(path: string): Promise<ProtoWithFile> {
  const { schema, problems } = await compileProtos([path])
  const file = schema && [...schema.registry.files].at(-1)
  if (schema && file) return { schema, file }
  throw adoptionRefused(
    `The schema has mistakes:\n${problems.map((problem) => `  ${formatProblem(problem)}`).join('\n')}`,
  )
}
