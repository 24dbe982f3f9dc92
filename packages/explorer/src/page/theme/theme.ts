import { effect, type ReadonlySignal, signal } from '@preact/signals'

export interface Theme {
  readonly current: ReadonlySignal<'light' | 'dark'>
  toggle(): void
}

const storedAs = 'headrace.theme'

/** The choice of the reader, and otherwise that of the system. */
export function createTheme({ localStorage, matchMedia, document }: Window & typeof globalThis): Theme {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const chosen = signal(localStorage.getItem(storedAs))
  const isSystemDark = signal(system.matches)
  system.addEventListener('change', () => {
    isSystemDark.value = system.matches
  })
  const current = signal<'light' | 'dark'>('light')
  effect(() => {
    const isDark = chosen.value ? chosen.value === 'dark' : isSystemDark.value
    current.value = isDark ? 'dark' : 'light'
    document.documentElement.dataset.theme = current.value
  })
  return {
    current,
    toggle() {
      const other = current.value === 'dark' ? 'light' : 'dark'
      localStorage.setItem(storedAs, other)
      chosen.value = other
    },
  }
}
