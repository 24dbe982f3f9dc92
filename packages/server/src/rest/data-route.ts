import type { FastifyInstance, FastifyReply } from 'fastify'
import { checkTopicAllowed } from '../access/grant.ts'
import type { ApiContext } from '../api-context.ts'
import { destroyWhenStalled } from '../connection/watch-stall.ts'
import { codingFor, readQualities } from '../representation/content-coding.ts'
import { namesTag } from '../representation/entity-tag.ts'
import { route } from './app.ts'
import { dataEndpoint, parseDataQuery } from './data-endpoint.ts'
import { createDataPages, type SentPage } from './data-pages.ts'
import { resolveRange } from './data-range.ts'
import { sendLines } from './lines.ts'
import type { Query } from './query.ts'
import { createUnsentPages } from './unsent-pages.ts'

export function addDataRoute(app: FastifyInstance, options: ApiContext): void {
  const { topics, history, limits, usage, quotas, cache, log } = options
  const pages = createDataPages(options)
  const addUnsent = createUnsentPages(limits.unsentPageBytes)
  const endpoint = dataEndpoint(limits)
  route(app, endpoint, async (request, reply, grant) => {
    const { key } = grant
    const { topic: name } = request.params
    checkTopicAllowed(grant, name)
    const { headers } = request
    const parsed = parseDataQuery(withAccepted(request.query, headers.accept), endpoint)
    const query = { ...parsed, permitted: grant.filter }
    if (query.format === 'ndjson') {
      const range = await resolveRange(options, await topics.open(name), query)
      destroyWhenStalled(request.raw.socket, reply.raw, limits.stallMs)
      setVary(reply)
      const count = (records: number) => {
        quotas.checkRecords(key)
        usage.countRecords(key.id, records)
      }
      return sendLines(reply, range, { history, log, count })
    }
    const page = await pages.read(name, query, {
      codingFor: (bytes) => codingFor(headers['accept-encoding'], bytes),
      holds: (tag) => namesTag(headers['if-none-match'], tag),
    })
    if (page.body) {
      if (request.method !== 'HEAD') addUnsent(page.body, reply.raw, key.id)
      destroyWhenStalled(request.raw.socket, reply.raw, limits.stallMs)
    }
    // A page that a token narrows is not that of its URL, and a cache would store the key of a query with the page.
    const isForAll = grant.filter === undefined && request.query.api_key === undefined
    const isPublic = cache === 'public' && page.isSealed && isForAll
    setCaching(reply, { ...page, isPublic })
    if (!page.body) return reply.code(304).send()
    if (request.method !== 'HEAD') usage.countRecords(key.id, page.records)
    return reply.type('application/json; charset=utf-8').send(page.body)
  })
}

/** `Accept` decides if the query has no `format`. */
function withAccepted(query: Query, accept: string | undefined): Query {
  if (query.format !== undefined || !accept?.includes('ndjson')) return query
  const qualities = readQualities(accept)
  const isPreferred = (qualities.get('application/x-ndjson') ?? 0) > (qualities.get('application/json') ?? 0)
  return isPreferred ? { ...query, format: 'ndjson' } : query
}

function setCaching(reply: FastifyReply, { tag, coding, isSealed, isPublic }: SentPage & { isPublic: boolean }): void {
  const lasts = isSealed ? 'max-age=31536000, immutable' : 'no-cache'
  reply.header('etag', tag).header('cache-control', `${isPublic ? 'public' : 'private'}, ${lasts}`)
  setVary(reply, isPublic ? [] : ['Authorization'])
  if (coding) reply.header('content-encoding', coding)
  // They are those of one request, and a shared cache would send them to everyone.
  if (isPublic) for (const name of ['ratelimit', 'ratelimit-policy']) reply.removeHeader(name)
}

function setVary(reply: FastifyReply, others: readonly string[] = []): void {
  const accepted = (reply.request.query as Query).format === undefined ? ['Accept'] : []
  reply.header('vary', ['Origin', 'Accept-Encoding', ...accepted, ...others].join(', '))
}
