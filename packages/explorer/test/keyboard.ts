import type { Tab } from './tab.ts'

export interface Focused {
  readonly name: string
  readonly isDocument: boolean
  /** It is in view and looks different from when it has no focus. */
  readonly isVisible: boolean
}

/** Moves on to the next element whose name has this text. */
export async function tabTo(tab: Tab, name: string): Promise<void> {
  const passed: string[] = []
  for (let step = 0; step < 60; step++) {
    const focused = await focusedElement(tab)
    if (focused.name.includes(name)) return
    passed.push(focused.name)
    await tab.page.keyboard.press('Tab')
  }
  throw new Error(`The focus never came to "${name}", but to: ${passed.join(', ')}.`)
}

/** Names are compared at different moments, so that they leave out ages, as `12 s ago`. */
const nameOf = `const nameOf = (element) => {
  if (element.tagName === 'MAIN') return 'main'
  const copy = element.cloneNode(true)
  for (const age of copy.querySelectorAll('time')) age.remove()
  return (element.getAttribute('aria-label') || element.labels?.[0]?.textContent || copy.textContent).trim().slice(0, 100)
}`

export async function focusedElement({ page }: Tab): Promise<Focused> {
  return page.evaluate(`(() => {
    ${nameOf}
    const element = document.activeElement
    if (element === document.body || !element) return { name: '', isDocument: true, isVisible: false }
    const styleOf = () => {
      const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } = getComputedStyle(element)
      return [outlineStyle === 'none' ? '' : outlineWidth, boxShadow, borderColor, backgroundColor].join()
    }
    for (const animation of document.getAnimations()) animation.finish()
    const focused = styleOf()
    element.blur()
    for (const animation of document.getAnimations()) animation.finish()
    const blurred = styleOf()
    element.focus({ preventScroll: true })
    const { top, bottom, left, right } = element.getBoundingClientRect()
    const isInView = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    return { name: nameOf(element), isDocument: false, isVisible: isInView && focused !== blurred }
  })()`)
}

/** Names of what can be operated. Of the rows of a table the keyboard reaches one, and continues with the arrow keys. */
export async function operable({ page }: Tab): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    ${nameOf}
    return [...document.querySelectorAll('a[href], button:not([disabled]), input, select, textarea, summary')]
      .filter((element) => element.checkVisibility() && element.tabIndex >= 0)
      .map(nameOf)
  })()`)
}
