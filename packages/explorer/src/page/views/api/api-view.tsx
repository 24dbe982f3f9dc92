import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { useExplorer } from '../../explorer.ts'
import { InlineText } from '../../parts/inline-text.tsx'
import { SearchBox } from '../../parts/search-box.tsx'
import { EmptyState, Failure, Loading } from '../../parts/states.tsx'
import { linkTo } from '../../route/route.ts'
import { usePolled } from '../../service/use-polled.ts'
import { type AsyncApi, type Endpoint, endpointsOf, needsKey, type OpenApi, refusalsOf } from './api-document.ts'
import { ChannelSection, methodOf } from './channel-section.tsx'
import { anchorOf, EndpointSection, Method } from './endpoint-section.tsx'

/** The documents change with the version of the gateway. */
const everyMs = 3_600_000

/** The interface of the gateway, from its OpenAPI and AsyncAPI documents. */
export function ApiView() {
  const { service, router } = useExplorer()
  const { path, query } = router.route.value
  const documents = usePolled(
    async (signal) => {
      const [openApi, asyncApi] = await Promise.all([
        service.document<OpenApi>('/api/v1/openapi.json', signal),
        service.document<AsyncApi>('/api/v1/asyncapi.json', signal),
      ])
      return { openApi, asyncApi, endpoints: endpointsOf(openApi) }
    },
    { everyMs },
  )
  const { search = '' } = query
  const anchor = path[1]
  const isLoaded = documents.value !== undefined
  useEffect(() => {
    if (!anchor || !isLoaded) return
    // After the page has scrolled to its top, as it does for each new route.
    requestAnimationFrame(() => {
      const section = document.getElementById(anchorOf(anchor))
      section?.scrollIntoView({ block: 'start' })
      section?.focus({ preventScroll: true })
    })
  }, [anchor, isLoaded])
  if (!documents.value && documents.error) return <Failure isPage error={documents.error} retry={documents.retry} />
  if (!documents.value)
    return (
      <div class="page">
        <Loading rows={9} />
      </div>
    )
  const { openApi, asyncApi, endpoints } = documents.value
  const words = search.toLowerCase().split(/\s+/)
  const matches = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const found = endpoints.filter((endpoint) => matches(wordsOfEndpoint(endpoint)))
  const withKey = found.filter((endpoint) => needsKey(endpoint))
  const withoutKey = found.filter((endpoint) => !needsKey(endpoint))
  const channels = Object.entries(asyncApi.channels).filter((channel) => matches(wordsOfChannel(channel)))
  const schemas = openApi.components?.schemas ?? {}
  return (
    <div class="page api">
      <div class="page-head">
        <div>
          <h1>API</h1>
          <p>
            As <DocumentLink name="openapi.json" title="OpenAPI 3.1" /> and{' '}
            <DocumentLink name="asyncapi.json" title="AsyncAPI 3.0" />
          </p>
        </div>
        <SearchBox label="Search the API" placeholder="Search paths, parameters, codes" />
      </div>
      {found.length + channels.length === 0 ? (
        <EmptyState title="Nothing matches">
          <p>No path, parameter or code has “{search}”.</p>
        </EmptyState>
      ) : (
        <div class="api-columns">
          <nav class="api-index" aria-label="Endpoints">
            <IndexGroup title="With a key">
              {withKey.map(({ operationId, method, path }) => (
                <IndexEntry key={operationId} name={operationId} {...{ method, path, anchor, search }} />
              ))}
            </IndexGroup>
            <IndexGroup title="Messages and events">
              {channels.map(([name, { address }]) => (
                <IndexEntry key={name} name={name} method={methodOf(name)} path={address} {...{ anchor, search }} />
              ))}
            </IndexGroup>
            <IndexGroup title="Without a key">
              {withoutKey.map(({ operationId, method, path }) => (
                <IndexEntry key={operationId} name={operationId} {...{ method, path, anchor, search }} />
              ))}
            </IndexGroup>
          </nav>
          <div class="api-content">
            {!search && <Introduction text={openApi.info.description ?? ''} />}
            {withKey.map((endpoint) => (
              <EndpointSection key={endpoint.operationId} endpoint={endpoint} schemas={schemas} />
            ))}
            {channels.map(([name]) => (
              <ChannelSection key={name} name={name} document={asyncApi} />
            ))}
            {withoutKey.map((endpoint) => (
              <EndpointSection key={endpoint.operationId} endpoint={endpoint} schemas={schemas} />
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

function DocumentLink({ name, title }: { readonly name: string; readonly title: string }) {
  return (
    <a class="link" href={`/api/v1/${name}`} target="_blank" rel="noreferrer">
      {title}
    </a>
  )
}

function Introduction({ text }: { readonly text: string }) {
  return (
    <div class="introduction">
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph}>
          <InlineText text={paragraph} />
        </p>
      ))}
      <p>
        The commands below need an API key and the name of a topic: <code>export KEY=hr_… TOPIC=…</code>
      </p>
    </div>
  )
}

function IndexGroup({ title, children }: { readonly title: string; readonly children: VNode[] }) {
  if (children.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ul>{children}</ul>
    </>
  )
}

interface IndexEntryProps {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly anchor: string | undefined
  readonly search: string
}

function IndexEntry({ name, method, path, anchor, search }: IndexEntryProps) {
  return (
    <li>
      <a href={linkTo(['api', name], { search })} aria-current={anchor === name ? 'location' : undefined}>
        <Method method={method} />
        <span class="mono">{path}</span>
      </a>
    </li>
  )
}

/** What a reader searches for. */
function wordsOfEndpoint(endpoint: Endpoint): string {
  const { method, path, summary, description, parameters = [] } = endpoint
  const codes = refusalsOf(endpoint).map(({ status, code }) => `${status} ${code}`)
  return [method, path, summary, description, ...parameters.map(({ name }) => name), ...codes].join(' ')
}

function wordsOfChannel([name, { address, description, messages }]: [string, AsyncApi['channels'][string]]): string {
  return [name, address, description, ...Object.keys(messages)].join(' ')
}
