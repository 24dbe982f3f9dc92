import { useEffect, useRef, useState } from 'preact/hooks'
import { Close } from '../../../parts/icons.tsx'

interface FilterBoxProps {
  readonly filter: string
  /** Why the gateway refuses it. */
  readonly problem: string | undefined
  /** To complete. */
  readonly names: readonly string[]
  /** The name to show before anything is written. */
  readonly example: string | undefined
  readonly onChange: (filter: string) => void
}

const others = [
  'key',
  'time',
  'op',
  'unit',
  'size(',
  'has(',
  'timestamp(',
  'int(',
  'startsWith(',
  'contains(',
  'exists(',
]
const longestList = 8

export function FilterBox({ filter, problem, names, example = 'value.Name', onChange }: FilterBoxProps) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(filter)
  const [word, setWord] = useState('')
  const [choice, setChoice] = useState(0)
  useEffect(() => setText(filter), [filter])
  const matching =
    word === '' ? [] : [...names, ...others].filter((name) => isCompletion(name, word)).slice(0, longestList)

  const complete = (name: string) => {
    const element = input.current!
    const caret = element.selectionStart ?? text.length
    const start = caret - word.length
    const completed = text.slice(0, start) + name + text.slice(caret)
    setText(completed)
    setWord('')
    element.value = completed
    element.setSelectionRange(start + name.length, start + name.length)
    element.focus()
  }
  const onInput = () => {
    const { value, selectionStart } = input.current!
    setText(value)
    setChoice(0)
    setWord(/[\w.]*$/.exec(value.slice(0, selectionStart ?? value.length))![0])
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && matching.length > 0) {
      event.preventDefault()
      setChoice((choice + step + matching.length) % matching.length)
    } else if (event.key === 'Tab' && matching.length > 0 && !event.shiftKey) {
      event.preventDefault()
      complete(matching[choice]!)
    } else if (event.key === 'Escape') setWord('')
    else if (event.key === 'Enter') {
      setWord('')
      onChange(text.trim())
    }
  }
  const isOpen = matching.length > 0
  return (
    <div class="filter-box">
      <input
        ref={input}
        class="input mono"
        role="combobox"
        aria-label="Filter"
        aria-expanded={isOpen}
        aria-controls="filter-names"
        aria-autocomplete="list"
        aria-activedescendant={isOpen ? `filter-name-${choice}` : undefined}
        aria-invalid={problem !== undefined}
        aria-describedby={problem ? 'filter-problem' : undefined}
        placeholder={`Filter, such as ${example} == "…"`}
        spellcheck={false}
        autocomplete="off"
        value={text}
        onInput={onInput}
        onKeyDown={onKeyDown}
        onBlur={() => setWord('')}
      />
      {filter !== '' && (
        <button
          type="button"
          class="button plain icon small"
          aria-label="Remove the filter"
          title="Remove the filter"
          onClick={() => {
            setText('')
            onChange('')
            input.current?.focus()
          }}
        >
          <Close />
        </button>
      )}
      <div id="filter-names" role="listbox" aria-label="Names" class="completions" hidden={!isOpen}>
        {matching.map((name, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus, and handles the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: as above.
          <div
            key={name}
            id={`filter-name-${index}`}
            role="option"
            aria-selected={index === choice}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => complete(name)}
          >
            {name}
          </div>
        ))}
      </div>
      {problem && (
        <p id="filter-problem" class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

function isCompletion(name: string, word: string): boolean {
  return name !== word && name.toLowerCase().includes(word.toLowerCase())
}
