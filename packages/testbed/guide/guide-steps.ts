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
