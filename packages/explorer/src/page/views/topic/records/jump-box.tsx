import { useState } from 'preact/hooks'

interface JumpBoxProps {
  readonly at: string
  readonly onJump: (position: string) => void
}

/** Goes to a time or position. */
export function JumpBox({ at, onJump }: JumpBoxProps) {
  const [text, setText] = useState(isCursor(at) ? '' : at)
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

/** `2026-08-21`, `2026-08-21 10:00` and `10:00` are times of the reader's time zone. */
export function toPosition(text: string, now: Date = new Date()): string {
  const match = /^(\d{4}-\d\d-\d\d)?[ T]?(\d{1,2}:\d\d(?::\d\d)?)?$/.exec(text)
  if (!text || !match) return text
  const today = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
  const time = (match[2] ?? '00:00').padStart(match[2]?.indexOf(':') === 1 ? match[2].length + 1 : 0, '0')
  const date = new Date(`${match[1] ?? today}T${time}`)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}
