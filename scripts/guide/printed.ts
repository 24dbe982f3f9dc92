import { stripVTControlCharacters } from 'node:util'

/** The first line that was to be printed and was not, after those before it; `undefined` where all of them were. */
export function firstMissing(output: string, lines: readonly string[]): string | undefined {
  const printed = stripVTControlCharacters(output).split('\n')
  let at = 0
  for (const line of lines) {
    while (at < printed.length && !isAs(printed[at]!.trimEnd(), line)) at++
    if (at++ >= printed.length) return line
  }
  return undefined
}

/** Whether the parts of a line between `…` are there in their order, the outer ones at its ends. */
function isAs(printed: string, line: string): boolean {
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
