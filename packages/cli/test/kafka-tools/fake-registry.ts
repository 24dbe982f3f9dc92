import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Schema {
  readonly schema: string
  readonly schemaType: string
  readonly references: readonly { readonly name: string; readonly subject: string; readonly version: number }[]
}

export interface FakeRegistry extends AsyncDisposable {
  readonly host: string
  /** By subject, in the order of versions: the file that it declares. */
  readonly subjects: ReadonlyMap<string, readonly Schema[]>
  /** Requests that registered something. */
  readonly writes: () => number
}

/** As strict as a registry of Confluent 8, with one user. Its GUIDs are computed here again, by the description of Confluent. */
export async function startFakeRegistry(user: string, password: string): Promise<FakeRegistry> {
  const subjects = new Map<string, Schema[]>()
  const ids: string[] = []
  let writes = 0
  const server = createServer(async (request, response) => {
    const text = (await request.toArray()).join('')
    const answer = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json' }).end(JSON.stringify(body))
    }
    const refuse = (code: number, message: string) =>
      answer(Math.trunc(code / 100) || code, { error_code: code, message })
    const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
    if (request.headers.authorization !== expected) return answer(401, { error_code: 401, message: 'Unauthorized' })
    const [, subject = '', isVersions] = /^\/subjects\/([^/?]+)(\/versions)?$/.exec(request.url!) ?? []
    if (request.method !== 'POST' || subject === '')
      return answer(404, { error_code: 404, message: 'HTTP 404 Not Found' })
    const sent = JSON.parse(text) as Schema
    const versions = subjects.get(decodeURIComponent(subject)) ?? []
    for (const { subject: other, version } of sent.references)
      if (!subjects.get(other)?.[version - 1]) return refuse(42201, `Schema reference to ${other} not found`)
    for (const [, path] of sent.schema.matchAll(/^import "(?!google\/protobuf\/)(.+)";$/gm))
      if (!sent.references.some(({ name }) => name === path)) return refuse(42201, `Could not resolve ${path}`)
    const form = JSON.stringify([sent.schema, sent.references])
    let at = versions.findIndex((one) => JSON.stringify([one.schema, one.references]) === form)
    if (at < 0 && !isVersions) return refuse(versions.length === 0 ? 40401 : 40403, 'Not found')
    if (at < 0) {
      writes++
      at = versions.push(sent) - 1
      subjects.set(decodeURIComponent(subject), versions)
    }
    if (!ids.includes(form)) ids.push(form)
    const known = { id: ids.indexOf(form) + 1, guid: guidOf(sent), version: at + 1 }
    return answer(200, isVersions ? known : { ...known, subject: decodeURIComponent(subject), ...sent })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    subjects,
    writes: () => writes,
    [Symbol.asyncDispose]: async () => void server.close(),
  }
}

function guidOf({ schema, references }: Schema): string {
  const hash = createHash('md5').update(schema)
  for (const { name, subject, version } of references) hash.update(name + subject).update(Buffer.of(0, 0, 0, version))
  const hex = hash.digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
