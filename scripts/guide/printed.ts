import { stripVTControlCharacters } from 'node:util'

/** The first line that was to be printed and was not, after those before it; `undefined` where all of them were. */
export function firstMissing(output: string, lines: readonly string[]): string | undefined {
  const printed = stripVTControlCharacters(output).split('\n')
  let at = 0
  for (const line of lines) {
    const pattern = new RegExp(`^${line.split('…').map(RegExp.escape).join('.*')}$`)
    while (at < printed.length && !pattern.test(printed[at]!.trimEnd())) at++
    if (at++ >= printed.length) return line
  }
  return undefined
}
