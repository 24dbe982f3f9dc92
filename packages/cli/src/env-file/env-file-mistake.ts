export interface EnvFileMistake {
  /** From 1. */
  readonly line: number
  /** Continues "This line". It quotes nothing, because any text may be a secret. */
  readonly found: string
}

/** From 1. If a variable is set twice, Node uses the later line. */
export function findEnvFileLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  for (const { line, entry } of entriesOf(text)) {
    const name = nameForm.exec(entry)?.[1]
    if (name !== undefined) lines.set(name, line)
  }
  return lines
}

/** Finds the first line that Node would silently ignore or misread. */
export function findEnvFileMistake(text: string): EnvFileMistake | undefined {
  for (const { line, entry, rest } of entriesOf(text))
    if (entry === '') return { line, found: describeLine(rest.slice(0, endOfLine(rest))) }
  return undefined
}

interface Entry {
  readonly line: number
  /** Empty: `rest` does not begin with a valid entry. */
  readonly entry: string
  readonly rest: string
}

function* entriesOf(text: string): Generator<Entry> {
  let rest = text.replaceAll('\r\n', '\n')
  for (let line = 1; rest !== ''; ) {
    const [entry = ''] = entryForm.exec(rest) ?? []
    yield { line, entry, rest }
    if (entry === '') return
    line += entry.split('\n').length - 1
    rest = rest.slice(entry.length)
  }
}

const assignment = String.raw`(?:export[ \t]+)?[A-Za-z_][\w.-]*[ \t]*=[ \t]*`
const value = ['"[^"]*"', "'[^']*'", '`[^`]*`']
  .map((quoted) => String.raw`${quoted}[ \t]*(?:#.*)?`)
  .concat(String.raw`[^"'\`\s].*`, '')
  .join('|')
const comment = '#.*'

/** A variable with its value (of one or more lines), a comment or nothing, and the end of the line. */
const entryForm = new RegExp(String.raw`^\uFEFF?[ \t]*(?:${assignment}(?:${value})|${comment})?[ \t]*(?:\n|$)`)

const nameForm = /^\uFEFF?[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=/

function endOfLine(text: string): number {
  const end = text.indexOf('\n')
  return end < 0 ? text.length : end
}

function describeLine(line: string): string {
  const equals = line.indexOf('=')
  if (equals < 0) return 'has no "="'
  if (!new RegExp(`^\\s*${assignment}`).test(line)) return 'has no valid name before its "="'
  return 'has a value whose quote is not closed, or that continues after its closing quote'
}
