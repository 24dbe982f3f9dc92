import type { ComponentChildren } from 'preact'
import { Alert, Empty, Lock, Offline } from './icons.tsx'

interface EmptyStateProps {
  readonly title: string
  /** Whether it is all that the page shows. */
  readonly isPage?: boolean
  readonly children?: ComponentChildren
}

export function EmptyState({ title, isPage, children }: EmptyStateProps) {
  const Heading = headingOf(isPage)
  return (
    <div class="state">
      <Empty />
      <Heading>{title}</Heading>
      {children}
    </div>
  )
}

interface Failed {
  readonly code: string
  readonly message: string
}

interface FailureProps {
  readonly error: Failed
  readonly isPage?: boolean
  readonly retry?: () => void
}

/** Why a view has no content. What does not answer is asked again by the view itself. */
export function Failure({ error, isPage, retry }: FailureProps) {
  const { Icon, title } = kindOf(error.code)
  const Heading = headingOf(isPage)
  return (
    <div class="state" role="alert">
      <Icon />
      <Heading>{title}</Heading>
      <p>{error.message}</p>
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

function headingOf(isPage = false) {
  return isPage ? 'h1' : 'h2'
}

function kindOf(code: string) {
  if (code === 'service_unavailable') return { Icon: Offline, title: 'No connection to the gateway' }
  if (code === 'topic_forbidden' || code === 'origin_not_allowed' || code === 'permission_lost')
    return { Icon: Lock, title: 'Not allowed with this key' }
  if (code === 'topic_not_found') return { Icon: Empty, title: 'There is no such topic' }
  if (code === 'rate_limited' || code === 'quota_exceeded' || code === 'connection_limit')
    return { Icon: Alert, title: 'A limit of the key is reached' }
  return { Icon: Alert, title: 'The gateway refused the request' }
}

/** A place for content that is being fetched. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  return (
    <div class="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span class={`skeleton width-${row % 3}`} key={row} />
      ))}
    </div>
  )
}
