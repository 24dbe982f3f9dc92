import type { Settings } from '@headrace/catalog'
import { errorReason, type Finding } from '@headrace/queue'
import { type FindingGroup, finding } from './finding-group.ts'

/** Timeout of a request, in ms. */
const answerMs = 5000

/** Checks whether the URLs in a connector's settings can be reached. Any HTTP answer will do, also an error. */
export function diagnoseSource({ values }: Settings): FindingGroup | undefined {
  const addresses = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().flatMap((one) => (isAddress(one) ? [{ name, url: new URL(one.replace(/^ws/, 'http')) }] : [])),
  )
  if (addresses.length === 0) return undefined
  const shown = addresses.map(({ name, url }) => `${name} ${url.origin}`).join(', ')
  return { about: 'source', title: `source: ${shown}`, findings: tryAddresses(addresses) }
}

interface Address {
  readonly name: string
  readonly url: URL
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^(https?|wss?):\/\//.test(value) && URL.canParse(value)
}

async function* tryAddresses(addresses: readonly Address[]): AsyncGenerator<Finding> {
  for (const { name, url } of addresses) {
    const cause = await reasonForNoAnswer(url)
    if (cause === undefined) continue
    // Shows the origin only: the path and the query may hold a key.
    yield finding({
      severity: 'error',
      code: 'source_unavailable',
      place: url.origin,
      message: `The setting "${name}" names ${url.origin}, which cannot be reached: ${cause}.`,
      remedy: 'Check the address, and that the service runs and accepts connections from this machine.',
    })
  }
}

async function reasonForNoAnswer(url: URL): Promise<string | undefined> {
  try {
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
    await response.body?.cancel()
    return undefined
  } catch (error) {
    if ((error as Error).name === 'TimeoutError') return `no answer within ${answerMs / 1000} s`
    return errorReason((error as Error).cause ?? error)
  }
}
