/** What a guide tells its reader to do, in order. */
export type GuideStep =
  /** Lines to type. */
  | { readonly kind: 'commands'; readonly script: string }
  /** A change to a file: lines as of `diff`, without line numbers. */
  | { readonly kind: 'change'; readonly file: string; readonly diff: string }
  /** What the commands before are to print: these lines, in this order, `…` standing for anything. */
  | { readonly kind: 'output'; readonly lines: readonly string[] }

/** Reads the fenced blocks `sh`, `diff` and `text` of a page. A change is to the file that was last named before it. */
export function guideSteps(page: string): GuideStep[] {
  const steps: GuideStep[] = []
  let file: string | undefined
  for (const [, language, code, named] of page.matchAll(/^```(\w*)\n(.*?)^```$|`((?:[\w-]+\/)*[\w.-]*\.\w+)`/gms)) {
    if (named !== undefined) file = named
    else if (language === 'sh') steps.push({ kind: 'commands', script: code! })
    else if (language === 'text') steps.push({ kind: 'output', lines: code!.trimEnd().split('\n') })
    else if (language === 'diff' && file) steps.push({ kind: 'change', file, diff: code! })
    else throw new Error(`A block "${language}" is nothing that a reader of a guide could do.`)
  }
  return steps
}
