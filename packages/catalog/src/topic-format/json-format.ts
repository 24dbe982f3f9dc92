import type { Adoption } from '../adoption/adoption.ts'
import { checkJson, type JsonMember } from '../json-value/check-json.ts'
import { compilerOf } from '../record-filter/filter-compiler.ts'
import { parseJson } from '../record-filter/json.ts'
import { createDocumentTerms } from '../record-filter/topic-terms.ts'
import { braces, comma, JsonWriter } from '../record-json/json-writer.ts'
import { createEnvelope } from '../record-json/record-envelope.ts'
import { parseNames } from '../record-json/record-fields.ts'
import { type JsonSchema, jsonSchemaDialect } from '../record-json/value-schema.ts'
import { createFramingReader } from './framing.ts'
import type { TopicFormat } from './topic-format.ts'

/** Values are checked and copied. A JSON Schema only describes them: no value is validated against it. */
export function createJsonFormat(adoption: Adoption): TopicFormat {
  const { topic, keyForm, bytes } = adoption
  const readFraming = createFramingReader(adoption)
  const jsonSchema = adoption.schema === undefined ? {} : (JSON.parse(adoption.schema) as JsonSchema)
  return {
    createRenderer({ fields, cursorsOf } = {}) {
      const out = new JsonWriter()
      return createEnvelope({
        ...{ out, topic, bytes, cursorsOf, keyForm },
        writeValue(record, value) {
          const { start } = readFraming(record, value)
          const from = out.length
          const hasBreaks = fields ? writeMembers(out, value, start, fields) : writeWhole(out, value, start)
          if (hasBreaks) replaceBreaks(out, from)
        },
      })
    },
    createFilterCompiler: () =>
      compilerOf(
        createDocumentTerms({ keyForm, bytes }, (record, value) => {
          const { start } = readFraming(record, value)
          checkJson(value, start)
          return parseJson(textOf(value, start))
        }),
      ),
    parseFields: parseNames,
    describe: () => ({ jsonSchema: { $schema: jsonSchemaDialect, ...jsonSchema } }),
  }
}

function textOf(value: Uint8Array, start: number): string {
  return Buffer.from(value.buffer, value.byteOffset + start, value.length - start).toString()
}

/** Returns whether there are line breaks. */
function writeWhole(out: JsonWriter, value: Uint8Array, start: number): boolean {
  const hasBreaks = checkJson(value, start)
  copy(out, value, start, value.length)
  return hasBreaks
}

/** In the order of the value. One that is not an object has no members. */
function writeMembers(out: JsonWriter, value: Uint8Array, start: number, names: readonly string[]): boolean {
  const members: JsonMember[] = []
  const hasBreaks = checkJson(value, start, members)
  const first = out.length
  for (const { nameStart, nameEnd, end } of members) {
    const name: string = JSON.parse(Buffer.from(value.subarray(nameStart, nameEnd)).toString())
    if (!names.includes(name)) continue
    out.byte(comma)
    copy(out, value, nameStart, end)
  }
  out.enclose(first, braces)
  return hasBreaks
}

function copy(out: JsonWriter, value: Uint8Array, start: number, end: number): void {
  out.reserve(end - start)
  out.bytes.set(start === 0 && end === value.length ? value : value.subarray(start, end), out.length)
  out.length += end - start
}

/** They would end a line of NDJSON, or of an event. Outside of strings they are white space. */
function replaceBreaks({ bytes, length }: JsonWriter, from: number): void {
  for (let at = from; at < length; at++) if (bytes[at] === lineFeed || bytes[at] === carriageReturn) bytes[at] = space
}

const [lineFeed, carriageReturn, space] = [0x0a, 0x0d, 0x20]
