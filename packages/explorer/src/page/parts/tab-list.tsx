interface TabListProps<Name extends string> {
  readonly label: string
  readonly tabs: readonly { readonly name: Name; readonly title: string }[]
  readonly selected: Name
  readonly onSelect: (name: Name) => void
  /** The `id` of the element with the content, which has the role `tabpanel`. */
  readonly panel: string
}

const steps: Readonly<Record<string, (place: number, count: number) => number>> = {
  ArrowRight: (place, count) => (place + 1) % count,
  ArrowLeft: (place, count) => (place + count - 1) % count,
  Home: () => 0,
  End: (_place, count) => count - 1,
}

/** Tabs as the ARIA Authoring Practices describe them: one is in the order of focus, and arrows select. */
export function TabList<Name extends string>({ label, tabs, selected, onSelect, panel }: TabListProps<Name>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const place = tabs.findIndex(({ name }) => name === selected)
    const next = steps[event.key]?.(place, tabs.length)
    if (next === undefined) return
    event.preventDefault()
    onSelect(tabs[next]!.name)
    ;(event.currentTarget as HTMLElement).querySelectorAll('button')[next]?.focus()
  }
  return (
    <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown} tabIndex={-1}>
      {tabs.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${panel}-${name}`}
          aria-selected={name === selected}
          aria-controls={panel}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {title}
        </button>
      ))}
    </div>
  )
}
