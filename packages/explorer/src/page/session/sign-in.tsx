import { useState } from 'preact/hooks'
import { useExplorer } from '../explorer.ts'
import { Waves } from '../parts/icons.tsx'

export function SignIn() {
  const { session } = useExplorer()
  const [state, setState] = useState<{ isBusy: boolean; problem?: string }>({ isBusy: false })
  const problem = state.problem ?? session.endedBecause.value
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const field = new FormData(event.currentTarget as HTMLFormElement).get('key') as string
    setState({ isBusy: true })
    await session.signIn(field.trim()).catch((error: Error) => setState({ isBusy: false, problem: error.message }))
  }
  return (
    <main class="sign-in">
      <form class="panel" onSubmit={submit}>
        <span class="mark">
          <Waves size={28} />
        </span>
        <h1>Headrace</h1>
        <p class="muted">Look at the topics of this gateway, live.</p>
        <label for="key">API key</label>
        <input
          class="input mono"
          id="key"
          name="key"
          type="password"
          autocomplete="off"
          placeholder="hr_…"
          required
          aria-invalid={problem !== undefined}
          aria-describedby="key-note"
        />
        <p id="key-note" class={problem ? 'problem' : 'note'} role={problem ? 'alert' : undefined}>
          {problem ??
            'The key is exchanged for a token that is valid for 12 hours. Only the token is kept, in this tab.'}
        </p>
        <button class="button primary" type="submit" disabled={state.isBusy}>
          {state.isBusy ? 'Signing in …' : 'Sign in'}
        </button>
        <p class="note">
          No key? Create one where the gateway runs: <code>connector keys create --name me</code>
        </p>
      </form>
    </main>
  )
}
