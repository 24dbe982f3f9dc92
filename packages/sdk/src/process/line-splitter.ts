/** What is kept of a line that has no end. */
const lineLimit = 16 * 1024

/** Cuts text into lines, without their ends. A line longer than 16,384 characters is given in parts. */
export function createLineSplitter(onLine: (line: string) => void): { add(text: string): void; end(): void } {
  let rest = ''
  const give = (line: string): void => {
    if (line.trim() !== '') onLine(line)
  }
  return {
    add(text) {
      const lines = (rest + text).split(/\r?\n/)
      rest = lines.pop()!
      for (const line of lines) give(line)
      for (; rest.length > lineLimit; rest = rest.slice(lineLimit)) give(rest.slice(0, lineLimit))
    },
    end() {
      give(rest)
      rest = ''
    },
  }
}
