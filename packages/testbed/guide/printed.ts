import { stripVTControlCharacters } from 'node:util'

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
  const [start, ...others] = line.split('…')
  const end = others.pop()
  if (end === undefined) return printed === line
  if (!printed.startsWith(start!)) return false
  let at = start!.length
  for (const part of others) {
    const found = printed.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return printed.length - end.length >= at && printed.endsWith(end)
}
