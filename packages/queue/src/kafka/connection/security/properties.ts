/** A value and the line, from 1, on which its key stands. */
export interface Property {
  readonly value: string
  readonly line: number
}

/**
 * Reads the text of a Java properties file (`java.util.Properties.load`): comments after `#` and `!`, keys ended by `=`,
 * `:` or blanks, lines continued by a backslash at their end, and the escapes `\t \n \r \f` and `\uXXXX`. Of a key that
 * stands there twice the later one wins.
 *
 * Java reads such a file as Latin-1, so other characters are written as `\uXXXX`.
 */
export function parseProperties(text: string): Map<string, Property> {
  const properties = new Map<string, Property>()
  for (const { content, line } of logicalLines(text)) {
    const [, key, value] = /^((?:\\.|[^\\\s=:])*)[ \t\f]*[=:]?[ \t\f]*(.*)$/s.exec(content)!
    properties.set(withoutEscapes(key!), { value: withoutEscapes(value!), line })
  }
  return properties
}

/** Lines with their continuations, without comments and blank ones. Blanks before a continuation do not count. */
function* logicalLines(text: string): Generator<{ content: string; line: number }> {
  const lines = text.split(/\r\n|\r|\n/)
  for (let index = 0; index < lines.length; index++) {
    const line = index + 1
    let content = trimStart(lines[index]!)
    if (content === '' || content.startsWith('#') || content.startsWith('!')) continue
    while (isContinued(content)) content = content.slice(0, -1) + trimStart(lines[++index] ?? '')
    if (content !== '') yield { content, line }
  }
}

function trimStart(line: string): string {
  return line.replace(/^[ \t\f]+/, '')
}

/** An odd number of backslashes at the end: an even one is that of escaped backslashes. */
function isContinued(content: string): boolean {
  return /\\*$/.exec(content)![0].length % 2 === 1
}

function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(?:u([0-9A-Fa-f]{4})|(.?))/gs, (_, code: string | undefined, character: string) =>
    code === undefined ? (controlCharacters[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const controlCharacters: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' }
