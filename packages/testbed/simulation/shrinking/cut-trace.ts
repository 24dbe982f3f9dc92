import { faultMark } from '../simulate.ts'

/** Shortens a trace to its first line, each fault with the line after it, and the last lines. */
export function cutTrace(full: readonly string[], last = 60): string[] {
  const trace = withoutRepetitions(full)
  const isFault = (line: string | undefined) => line?.includes(`  ${faultMark} `) ?? false
  const cut: string[] = []
  let left = 0
  trace.forEach((line, index) => {
    if (index === 0 || index >= trace.length - last || isFault(line) || isFault(trace[index - 1])) {
      if (left > 0) cut.push(`${indent}… ${left} lines …`)
      left = 0
      cut.push(line)
    } else left++
  })
  return cut
}

/** Keeps one copy of repeated groups of lines that differ only in their times. */
function withoutRepetitions(trace: readonly string[]): string[] {
  const texts = trace.map((line) => line.slice(indent.length))
  const kept: string[] = []
  for (let index = 0; index < trace.length; ) {
    const [length, times] = repetitionAt(texts, index)
    kept.push(...trace.slice(index, index + length))
    if (times > 1)
      kept.push(`${indent}… the last ${length === 1 ? 'line' : `${length} lines`} ${times - 1} times more …`)
    index += length * times
  }
  return kept
}

/** Length and number of the repeated groups of lines at an index. */
function repetitionAt(texts: readonly string[], from: number): [length: number, times: number] {
  for (let length = 1; length <= longestRepetition; length++) {
    let end = from + length
    while (end < texts.length && texts[end] === texts[end - length]) end++
    const times = Math.floor((end - from) / length)
    if (times > 2) return [length, times]
  }
  return [1, 1]
}

const longestRepetition = 6
const indent = ' '.repeat(12)
