import { stripVTControlCharacters } from 'node:util'

/** A step of a guide. */
export type GuideStep =
  /** Shell commands. */
  | { readonly kind: 'commands'; readonly script: string }
  /** A change of a file, as a diff without line numbers. */
  | { readonly kind: 'change'; readonly file: string; readonly diff: string }
  /** Lines that the commands before print, in this order; `…` stands for any text. */
  | { readonly kind: 'output'; readonly lines: readonly string[] }

/** Reads the fenced blocks `sh`, `diff` and `text` of a page. A diff applies to the file last named before it. */
export function guideSteps(page: string): GuideStep[] {
  const steps: GuideStep[] = []
  let file: string | undefined
  for (const [, language, code, named] of page.matchAll(/^```(\w*)\n(.*?)^```$|`((?:[\w-]+\/)*[\w.-]*\.\w+)`/gms)) {
    if (named !== undefined) file = named
    else if (language === 'sh') steps.push({ kind: 'commands', script: code! })
    else if (language === 'text') steps.push({ kind: 'output', lines: code!.trimEnd().split('\n') })
    else if (language === 'diff' && file) steps.push({ kind: 'change', file, diff: code! })
    else
      throw new Error(
        `A guide has blocks of the languages sh, diff and text, and diff only after the name of a file. Found: "${language}".`,
      )
  }
  return steps
}

/**
 * Applies a diff without line numbers to a text.
 *
 * @throws {Error} The old lines occur never, or more than once.
 */
export function applyChange(text: string, diff: string): string {
  const lines = diff.trimEnd().split('\n')
  const side = (sign: '-' | '+'): string =>
    lines
      .filter((line) => line === '' || line[0] === ' ' || line[0] === sign)
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const [before, ...others] = text.split(side('-'))
  if (others.length === 1) return before + side('+') + others[0]
  throw new Error(`There ${others.length === 0 ? 'is no place' : 'are several places'} for this change:\n${diff}`)
}

/** The first expected line that is missing after the ones before it; `undefined` if all are there. */
export function firstMissing(output: string, lines: readonly string[]): string | undefined {
  const printed = stripVTControlCharacters(output).split('\n')
  let at = 0
  for (const line of lines) {
    while (at < printed.length && !matches(printed[at]!.trimEnd(), line)) at++
    if (at++ >= printed.length) return line
  }
  return undefined
}

/** Whether a printed line matches an expected one, in which `…` stands for any text. */
function matches(printed: string, line: string): boolean {
  const parts = line.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(printed)
}
