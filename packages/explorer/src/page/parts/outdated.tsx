import type { Polled } from '../service/use-polled.ts'
import { Offline } from './icons.tsx'

/** Above content that is still shown although it could not be fetched again. */
export function Outdated({ error, value, retry }: Polled<unknown>) {
  if (!error || value === undefined) return null
  return (
    <div class="banner" role="status">
      <Offline />
      <span>Not up to date: {error.message}</span>
      <button type="button" class="button small" onClick={retry}>
        Try again
      </button>
    </div>
  )
}
