import { useEffect, useState } from 'preact/hooks'
import { toPosition } from './to-position.ts'

interface JumpBoxProps {
  readonly at: string
  readonly onJump: (position: string) => void
}

/** Goes to a time or position. */
export function JumpBox({ at, onJump }: JumpBoxProps) {
  const shown = isCursor(at) ? '' : at
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [at])
  return (
    <form
      class="jump-box"
      onSubmit={(event) => {
        event.preventDefault()
        onJump(toPosition(text.trim()))
      }}
    >
      <input
        class="input"
        aria-label="Go to a time or position"
        title="A time, a time ago such as -10m, earliest, final, or a cursor"
        placeholder="Go to -10m, a time, earliest …"
        list="positions"
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <datalist id="positions">
        {['earliest', 'final', '-1m', '-10m', '-1h', '-1d'].map((position) => (
          <option key={position} value={position} />
        ))}
      </datalist>
      <button class="button" type="submit">
        Go
      </button>
    </form>
  )
}

function isCursor(position: string): boolean {
  return position.length > 30
}
