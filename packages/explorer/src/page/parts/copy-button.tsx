import { useEffect, useState } from 'preact/hooks'
import { Check, Copy } from './icons.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for those who do not see the button's place: `the topic name`. */
  readonly what: string
  readonly labelled?: boolean
}

const shownMs = 1500

export function CopyButton({ text, what, labelled = false }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return undefined
    const timer = window.setTimeout(() => setState('idle'), shownMs)
    return () => window.clearTimeout(timer)
  }, [state])
  const copy = async (event: Event) => {
    event.stopPropagation()
    // Without HTTPS, browsers offer the clipboard on this machine only.
    setState(
      (await navigator.clipboard?.writeText(text).then(
        () => 'copied' as const,
        () => undefined,
      )) ?? 'failed',
    )
  }
  const label = { idle: `Copy ${what}`, copied: 'Copied', failed: 'The browser does not allow copying' }[state]
  return (
    <button
      type="button"
      class={`button small plain ${labelled ? '' : 'icon'}`}
      title={label}
      aria-label={label}
      onClick={copy}
    >
      {state === 'copied' ? <Check /> : <Copy />}
      {labelled && <span>{state === 'idle' ? 'Copy' : state === 'copied' ? 'Copied' : 'Not allowed'}</span>}
      <span class="hidden-text" role="status">
        {state === 'idle' ? '' : label}
      </span>
    </button>
  )
}
