import type { Tab } from './tab.ts'

/** Elements that are outside of the window at its sides, except in an area that can be scrolled. */
export async function outside({ page }: Tab): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const scrolls = (element) =>
      element && (getComputedStyle(element).overflowX !== 'visible' && element !== document.documentElement
        || scrolls(element.parentElement))
    const wide = [document.documentElement, ...document.querySelectorAll('main')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(({ tagName, scrollWidth }) => tagName + ' can be scrolled: ' + scrollWidth)
    const outside = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 0 && (right > innerWidth + 1 || left < -1) && !scrolls(element.parentElement)
    })
    return [...wide, ...outside.map(({ outerHTML }) => outerHTML.slice(0, 200))]
  })()`)
}
