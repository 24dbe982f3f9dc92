import { describe, expect, it } from 'vitest'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { schemas } from '../../src/api-definition/schemas.ts'
import { events, gapSchema, notifications, progressSchema } from '../../src/api-definition/stream-messages.ts'
import { refusals } from '../../src/errors.ts'
import { gatewayTools } from '../../src/mcp/tools/gateway-tools.ts'
import { limits } from '../../src/options/limits.ts'
import { dataEndpoint } from '../../src/rest/data-endpoint.ts'
import { tokenRequest } from '../../src/rest/token-route.ts'
import { usageEndpoint } from '../../src/rest/usage-route.ts'
import { streamEndpoint } from '../../src/sse/stream-route.ts'
import { closeReasons } from '../../src/websocket/close-codes.ts'
import { rpcErrors } from '../../src/websocket/json-rpc.ts'
import { type RpcMethodDefinition, rpcMethods } from '../../src/websocket/methods.ts'
import { serveShop } from '../shop/served-shop.ts'
import { memberRows, parameterRows, plain, type Rows } from './rows.ts'

describe('docs/reference/rest.md', () => {
  const page = readReferencePage('rest.md')

  it('lists the parameters of data with their defaults', () => {
    expect(page.rows('`GET /api/v1/data/<topic>`', 'parameter')).toEqual(
      plain(parameterRows(dataEndpoint(limits).parameters)),
    )
  })

  it.each([
    ['A page', 'Page'],
    ['A record', 'Record'],
    ['`GET /api/v1/topics/<topic>`', 'Topic'],
    ['`GET /api/v1/usage`', 'Usage'],
  ] as const)('lists the members under "%s"', (heading, name) => {
    expect(page.rows(heading, 'member')).toEqual(plain(memberRows(schemas[name]!)))
  })

  it('lists the parameters of usage with their defaults, and what is counted', () => {
    const heading = '`GET /api/v1/usage`'
    expect(page.rows(heading, 'parameter')).toEqual(plain(parameterRows(usageEndpoint(limits).parameters)))
    expect(page.rows(heading, 'count')).toEqual(plain(memberRows(schemas.UsageCounts!)))
  })

  it('lists the members of the request for a token and of its answer', () => {
    const heading = '`POST /api/v1/tokens`'
    const members = Object.entries<{ description: string; default?: number }>(tokenRequest.properties)
    const listed = members.map(([name, member]) => [name, member.description, `${member.default ?? ''}`])
    expect(page.rows(heading, 'member')).toEqual(plain(listed))
    expect(page.rows(heading, 'member of the answer')).toEqual(plain(memberRows(schemas.Token!)))
  })

  it('lists every path that a gateway serves, and no other', async () => {
    await using shop = await serveShop()
    expect(page.rows('All paths', 'path')).toEqual(plain(pathRows(await shop.json('/api/v1/openapi.json'))))
  })

  it('lists every refusal in the order in which they are checked', () => {
    const listed = Object.entries(refusals).map(([code, { status }]) => [code, `${status}`])
    expect(page.rows('Errors', 'code')).toEqual(listed)
  })
})

describe('docs/reference/errors.md', () => {
  it('explains every refusal', () => {
    const rows = readReferencePage('errors.md').rows('Gateway', 'code')
    const meanings = Object.entries(refusals).map(([code, { status, meaning }]) => [code, meaning, `${status}`])
    expect(rows).toEqual(plain(meanings))
  })
})

describe('docs/reference/limits.md', () => {
  it('lists every limit of a gateway with its default', () => {
    const listed = readReferencePage('limits.md')
      .rows('Limits of a gateway', 'option')
      .map((row) => row.slice(0, 2))
    expect(listed).toEqual(Object.entries(limits).map(([name, value]) => [name, `${value}`]))
  })
})

describe('docs/reference/mcp.md', () => {
  it('lists every tool of a gateway with its arguments', () => {
    const page = readReferencePage('mcp.md')
    for (const { name, parameters } of gatewayTools) {
      const rows = Object.entries(parameters).map(([argument, { schema, isRequired, absent }]) => {
        return [argument, schema.description as string, isRequired ? 'required' : `${absent ?? ''}`]
      })
      expect(page.rows(`\`${name}\``, 'argument')).toEqual(plain(rows))
    }
    expect(page.text.match(/^### `\w+`/gm)).toHaveLength(gatewayTools.length + 1)
  })

  it('has configurations that are valid JSON', () => {
    const page = readReferencePage('mcp.md')
    const hosts = ['Claude Code', 'Claude Desktop', 'VS Code', 'Cursor']
    const servers = hosts.flatMap((host) => page.code(host, 'json').map((text) => Object.keys(JSON.parse(text)).at(-1)))
    expect(servers).toEqual(['mcpServers', 'mcpServers', 'servers', 'mcpServers'])
  })
})

describe('docs/reference/websocket.md', () => {
  const page = readReferencePage('websocket.md')

  it('lists every method with its params', () => {
    const methods = Object.entries<RpcMethodDefinition>(rpcMethods)
    expect(page.rows('Methods', 'method').map((row) => row.slice(0, 2))).toEqual(
      methods.map(([name, { summary }]) => [name, summary]),
    )
    for (const [name, { params }] of methods) {
      const rows: Rows = Object.entries(params).map(([param, { description }]) => [param, description])
      if (rows.length > 0) expect(page.rows('Methods', `param of ${name}`)).toEqual(plain(rows))
    }
  })

  it('lists every notification with its members', () => {
    const listed = Object.entries(notifications).map(([method, { meaning }]) => [method, meaning])
    expect(page.rows('Notifications', 'method')).toEqual(plain(listed))
    expect(page.rows('Notifications', 'member of progress')).toEqual(plain(memberRows(progressSchema)))
    expect(page.rows('Notifications', 'member of gap')).toEqual(plain(memberRows(gapSchema)))
  })

  it('lists every error', () => {
    const listed = Object.values(rpcErrors).map(({ code, meaning, refusals }) => {
      return [`${code}`.replace('-', '−'), meaning, refusals.join(', ')]
    })
    expect(page.rows('Errors', 'code')).toEqual(plain(listed))
  })

  it('lists every close code and whether it is final', () => {
    const reasons = Object.values(closeReasons)
    const listed = reasons.map(({ code, meaning, reconnect }) => [`${code}`, meaning, reconnect])
    expect(page.rows('Close codes', 'code')).toEqual(plain(listed))
    const isFinal = (code: number) => [1002, 1003, 1007, 1009].includes(code) || (code >= 4400 && code <= 4409)
    for (const { code, reconnect } of reasons) expect([code, /^no\b/.test(reconnect)]).toEqual([code, isFinal(code)])
  })
})

describe('docs/reference/sse.md', () => {
  const page = readReferencePage('sse.md')

  it('lists the parameters with their defaults', () => {
    expect(page.rows('Server-Sent Events', 'parameter')).toEqual(
      plain(parameterRows(streamEndpoint(limits).parameters)),
    )
  })

  it('lists every event', () => {
    const listed = Object.entries(events).map(([event, { meaning }]) => [event, meaning])
    expect(page.rows('Server-Sent Events', 'event')).toEqual(plain(listed))
  })
})

interface Paths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { summary: string; security: readonly unknown[] }>>>>
}

function pathRows({ paths }: Paths): Rows {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, security }]) => {
      const name = `${method.toUpperCase()} ${path.replaceAll(/{(\w+)}/g, '<$1>')}`
      return [name, summary, security.length > 0 ? 'yes' : 'no']
    }),
  )
}
