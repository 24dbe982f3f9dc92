/**
 * When the element that has the focus is removed, browsers give the focus to the document, so that the keyboard starts
 * again at the top of the page. This gives it to what contained the element.
 */
export function keepFocus(document: Document): void {
  let containers: readonly HTMLElement[] = []
  document.addEventListener('focusin', ({ target }) => {
    containers = containersOf(target as HTMLElement)
  })
  new MutationObserver(() => {
    if (document.activeElement !== document.body) return
    const kept = containers.find(({ isConnected }) => isConnected)
    kept?.focus({ preventScroll: true })
  }).observe(document.body, { childList: true, subtree: true })
}

/** The nearest first. Only elements that accept the focus. */
function containersOf(element: HTMLElement): readonly HTMLElement[] {
  const container = element.parentElement?.closest<HTMLElement>('[tabindex]')
  return container ? [container, ...containersOf(container)] : []
}
