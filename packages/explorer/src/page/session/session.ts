import { type ReadonlySignal, signal } from '@preact/signals'
import { fetchJson } from '../service/fetch-json.ts'
import { ExplorerError } from '../service/problem.ts'

/** The token of this tab. The API key is exchanged for it, and not kept. */
export interface Session {
  readonly token: ReadonlySignal<string | undefined>
  /** Why the last session ended, for the page that asks for a key. */
  readonly endedBecause: ReadonlySignal<string | undefined>
  /**
   * Exchanges an API key for a token. A token is taken as it is.
   *
   * @throws {ExplorerError} the gateway refuses the key, or does not answer.
   */
  signIn(credential: string): Promise<void>
  signOut(reason?: string): void
}

const storedAs = 'headrace.token'
/** Of a token, in seconds. */
const lifetime = 12 * 3600

export function createSession(window: Window): Session {
  const { location, history, sessionStorage } = window
  const token = signal(sessionStorage.getItem(storedAs) ?? undefined)
  const endedBecause = signal<string | undefined>(undefined)
  const takeFromAddress = () => {
    const given = /^#token=([\w.-]+)/.exec(location.hash)?.[1]
    if (!given) return
    history.replaceState(null, '', `${location.pathname}#/`)
    keep(given)
  }
  takeFromAddress()
  // A link that is opened in a tab with this page changes only the fragment.
  window.addEventListener('hashchange', takeFromAddress)
  return {
    token,
    endedBecause,
    async signIn(credential) {
      keep(isToken(credential) ? credential : await exchange(credential))
    },
    signOut(reason) {
      sessionStorage.removeItem(storedAs)
      endedBecause.value = reason
      token.value = undefined
    },
  }

  function keep(obtained: string): void {
    sessionStorage.setItem(storedAs, obtained)
    endedBecause.value = undefined
    token.value = obtained
  }
}

function isToken(credential: string): boolean {
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(credential)
}

async function exchange(key: string): Promise<string> {
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ExplorerError('invalid_key', 'A key has no spaces. Paste it as it was created, such as hr_test_….')
  const { token } = await fetchJson<{ readonly token: string }>('/api/v1/tokens', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ expiresIn: lifetime }),
  })
  return token
}
