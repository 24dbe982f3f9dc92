import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createSchemaRegistryClient, type SchemaRegistryOptions } from './registry-client.ts'

interface Answer {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly body: unknown
}

type Answers = (path: string, request: { readonly authorization: string | undefined; readonly body: string }) => Answer

/** A registry that gives any answer. `requests` are the paths in order. */
async function startRegistry(answers: Answers, options: Partial<SchemaRegistryOptions> = {}) {
  const requests: string[] = []
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    requests.push(`${request.method} ${request.url}`)
    const { authorization } = request.headers
    const answer = answers(request.url!, { authorization, body })
    response.writeHead(answer.status ?? 200, answer.headers)
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = createSchemaRegistryClient({ url: `http://${host}`, attempts: 2, ...options })
  return { host, client, requests }
}

const subject = (name: string, imports: readonly string[] = []) => ({
  subject: name,
  version: 1,
  id: 7,
  schemaType: 'PROTOBUF',
  schema: `syntax = "proto3"; // ${name}`,
  references: imports.map((other) => ({ name: other, subject: other, version: 1 })),
})

test('a schema is read with all that it refers to, dependencies first and once', async () => {
  const imports: Record<string, string[]> = {
    top: ['a.proto', 'b.proto'],
    'a.proto': ['c.proto'],
    'b.proto': ['c.proto'],
  }
  const { client, requests } = await startRegistry((path) => {
    const name = path === '/schemas/ids/7' ? 'top' : path.split('/')[2]!
    return { body: { ...subject(name, imports[name]), ...(name !== 'top' && { id: name.charCodeAt(0) }) } }
  })
  const [one, other] = await Promise.all([client.readById(7), client.readById(7)])
  expect([...one.referenced.keys()]).toEqual(['c.proto', 'a.proto', 'b.proto'])
  expect(one).toMatchObject({ id: 7, type: 'PROTOBUF', text: 'syntax = "proto3"; // top' })
  expect(other).toBe(one)
  expect(requests.filter((path) => path.includes('c.proto'))).toEqual(['GET /subjects/c.proto/versions/1?deleted=true'])
})

test('user and password of the URL are sent, and are in no message', async () => {
  const seen: (string | undefined)[] = []
  const { host } = await startRegistry((_path, { authorization }) => {
    seen.push(authorization)
    return { status: 401, body: { error_code: 401, message: 'Unauthorized' } }
  })
  const client = createSchemaRegistryClient({ url: `http://reader-7:s3cr%20et@${host}/` })
  const error = await client.readById(1).catch((thrown: Error) => thrown)
  expect(error).toMatchObject({ code: 'schema_registry_refused' })
  expect((error as Error).message).toContain('the credentials are not accepted')
  expect(`${(error as Error).message}${client.url}`).not.toMatch(/reader-7|s3cr|et\b/)
  expect(seen).toEqual([`Basic ${Buffer.from('reader-7:s3cr et').toString('base64')}`])
  await expect(createSchemaRegistryClient({ url: `http://${host}`, token: 'abc' }).readById(1)).rejects.toThrow()
  expect(seen[1]).toBe('Bearer abc')
  for (const url of ['ftp://secret@host', 'http://host?secret', 'secret', `http://u:%se@${host}`])
    expect(() => createSchemaRegistryClient({ url })).toThrow(/^(?!.*secret).*is invalid/)
})

test('a registry that fails at first is asked again, and one that keeps failing is unavailable', async () => {
  let failures = 1
  const fails = { status: 503, body: { error_code: 50003, message: 'forwarding failed' } }
  const { client, requests } = await startRegistry(() => (failures-- > 0 ? fails : { body: { schema: '"string"' } }))
  await expect(client.readById(3)).resolves.toMatchObject({ type: 'AVRO', id: 3 })
  failures = Number.POSITIVE_INFINITY
  await expect(client.readById(4)).rejects.toMatchObject({
    code: 'schema_registry_unavailable',
    message: expect.stringContaining('status 503: forwarding failed'),
  })
  expect(requests).toHaveLength(4)
  const down = createSchemaRegistryClient({ url: 'http://127.0.0.1:1', attempts: 1 })
  await expect(down.readById(4)).rejects.toMatchObject({ code: 'schema_registry_unavailable' })
})

test.each<[string, Answer, string]>([
  ['a web page', { body: '<html>' }, 'status 200, and no JSON: <html>'],
  ['a redirect', { status: 302, headers: { location: '/login' }, body: '' }, 'it redirects to /login'],
  ['JSON of another service', { body: { hello: 1 } }, '"schema" is not a string'],
  ['a list', { body: [] }, 'it is not an object'],
  ['another path', { status: 404, body: { error_code: 404, message: 'HTTP 404' } }, 'error 404'],
  ['an error of another service', { status: 404, body: { error: 'no' } }, 'status 404: {"error":"no"}'],
  ['another id', { body: { ...subject('a'), id: 8 } }, 'its "id" is 8'],
  ['an unknown type', { body: { ...subject('a'), schemaType: 'THRIFT' } }, 'none of PROTOBUF, AVRO and JSON'],
  ['an incomplete reference', { body: { ...subject('a'), references: [{ name: 'x' }] } }, 'a reference lacks'],
  ['a negative version', { body: { ...subject('a'), version: -1 } }, '"version" is not a whole number'],
  ['too many bytes', { body: { ...subject('a'), schema: 'x'.repeat(2000) } }, 'it has more than 1000 bytes'],
  ['a circle of references', { body: subject('a', ['a']) }, 'its references are circular'],
])('the answer with %s is reported', async (_, answer, found) => {
  const { client } = await startRegistry(() => answer, { answerBytes: 1000 })
  await expect(client.readById(7)).rejects.toMatchObject({
    code: 'invalid_schema_registry_answer',
    message: expect.stringContaining(found),
  })
})

test('an id that changes, and a GUID with another schema, are reported', async () => {
  let text = 'first'
  const guid = '89791762-2336-41c6-b2a2-2a2e2b1a3b1c'
  const { client } = await startRegistry(() => ({ body: { ...subject('a'), guid, schema: text } }))
  await client.readVersion('a', 'latest')
  text = 'second'
  await expect(client.readVersion('a', 'latest')).rejects.toThrow('the id 7 was another schema before')
  await expect(client.readByGuid(guid.replace('8', '9'))).rejects.toThrow(`its "guid" is "${guid}"`)
})

test('an unknown schema is an error of its own, and is asked for again', async () => {
  const { client, requests } = await startRegistry(() => ({
    status: 404,
    body: { error_code: 40403, message: 'Schema 5 not found' },
  }))
  for (const read of [() => client.readById(5), () => client.readById(5), () => client.readVersion('x/y', 2)])
    await expect(read()).rejects.toMatchObject({ code: 'unknown_schema' })
  expect(requests).toEqual(['GET /schemas/ids/5', 'GET /schemas/ids/5', 'GET /subjects/x%2Fy/versions/2'])
  await expect(client.find('x', { type: 'PROTOBUF', text: '', references: [] })).resolves.toBeUndefined()
})

test('a schema is registered, and the id is read back', async () => {
  const bodies: unknown[] = []
  let found = 7
  const { client } = await startRegistry((_path, { body }) => {
    bodies.push(JSON.parse(body))
    return { body: { ...subject('a'), id: bodies.length % 2 === 1 ? 7 : found } }
  })
  const definition = { type: 'PROTOBUF', text: 'x', references: [{ name: 'n', subject: 's', version: 1 }] } as const
  await expect(client.register('a', definition)).resolves.toEqual({ id: 7, version: 1 })
  expect(bodies[0]).toEqual({ schemaType: 'PROTOBUF', schema: 'x', references: definition.references })
  found = 8
  await expect(client.register('a', definition)).rejects.toThrow('it registered the id 7, and finds 8 afterwards')
})
