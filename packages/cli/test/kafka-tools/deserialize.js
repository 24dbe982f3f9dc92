// Deserializes records with nothing but the URL of a schema registry: [topic, value, headers], in base64, from stdin.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'

const [folder, baseURL] = process.argv.slice(2)
const { ProtobufDeserializer, SchemaRegistryClient, SerdeType } = createRequire(
  pathToFileURL(join(folder, 'package.json')),
)('@confluentinc/schemaregistry')
const client = new SchemaRegistryClient({ baseURLs: [baseURL] })
const deserializer = new ProtobufDeserializer(client, SerdeType.VALUE, {})
const bytes = (text) => Buffer.from(text, 'base64')
for (const { topic, value, headers } of await json(process.stdin)) {
  const decoded = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, bytes(text)]))
  const message = await deserializer.deserialize(topic, bytes(value), decoded)
  console.log(JSON.stringify(message, (_, member) => (typeof member === 'bigint' ? `${member}` : member)))
}
