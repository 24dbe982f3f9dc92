import { type ReadonlySignal, signal } from '@preact/signals'

/** `#/topics/a.1_0_0.b_C?view=log` is the path `['topics', 'a.1_0_0.b_C']` with the query `view=log`. */
export interface Route {
  readonly path: readonly string[]
  readonly query: Readonly<Record<string, string>>
}

export interface Router {
  readonly route: ReadonlySignal<Route>
  /** Replaces the query of the present page, without a step in the history. Empty values are left out. */
  setQuery(query: Readonly<Record<string, string | undefined>>): void
  go(href: string): void
}

export function createRouter(window: Window): Router {
  const route = signal(readRoute(window.location.hash))
  window.addEventListener('hashchange', () => {
    route.value = readRoute(window.location.hash)
  })
  return {
    route,
    setQuery(query) {
      const href = linkTo(route.value.path, query)
      window.history.replaceState(null, '', href)
      route.value = readRoute(href)
    },
    go(href) {
      window.location.hash = href
    },
  }
}

export function linkTo(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  const text = new URLSearchParams(given).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${text && `?${text}`}`
}

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const segments = path.split('/').filter((segment) => segment !== '')
  return { path: segments.map(decode), query: Object.fromEntries(new URLSearchParams(query)) }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
