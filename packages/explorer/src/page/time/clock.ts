import { type ReadonlySignal, signal } from '@preact/signals'

export interface Clock {
  /** In ms, updated every second while the page is visible. */
  readonly now: ReadonlySignal<number>
  readonly isVisible: ReadonlySignal<boolean>
}

export function createClock(document: Document): Clock {
  const now = signal(Date.now())
  const isVisible = signal(document.visibilityState !== 'hidden')
  let timer: number | undefined
  const update = () => {
    isVisible.value = document.visibilityState !== 'hidden'
    window.clearInterval(timer)
    if (!isVisible.value) return
    now.value = Date.now()
    timer = window.setInterval(() => {
      now.value = Date.now()
    }, 1000)
  }
  document.addEventListener('visibilitychange', update)
  update()
  return { now, isVisible }
}
