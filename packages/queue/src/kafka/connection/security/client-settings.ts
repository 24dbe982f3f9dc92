import { UserError } from '../../../errors.ts'

export interface ClientSettings {
  get(key: string): string | undefined
  keysStartingWith(prefix: string): string[]
  /** Makes the error "FILE:LINE: KEY PROBLEM". It does not quote the value, which may be a secret. */
  invalid(key: string, problem: string, options?: ErrorOptions): UserError
}

/** As `java.util.Properties.load`: the last value of a key is used, and `\uXXXX` is a character outside of Latin-1. */
export function parseClientSettings(text: string, file: string): ClientSettings {
  const properties = new Map<string, { readonly value: string; readonly line: number }>()
  for (const { content, line } of logicalLines(text)) {
    const [, key, value] = /^((?:\\.|[^\\\s=:])*)[ \t\f]*[=:]?[ \t\f]*(.*)$/s.exec(content)!
    properties.set(unescapeProperty(key!), { value: unescapeProperty(value!), line })
  }
  return {
    get: (key) => properties.get(key)?.value,
    keysStartingWith: (prefix) => [...properties.keys()].filter((key) => key.startsWith(prefix)),
    invalid(key, problem, options) {
      const line = properties.get(key)?.line
      const location = line === undefined ? file : `${file}:${line}`
      return new UserError('invalid_kafka_config', `${location}: ${key} ${problem}`, options)
    },
  }
}

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

/** An even number of backslashes at the end is escaped backslashes. */
function isContinued(content: string): boolean {
  return /\\*$/.exec(content)![0].length % 2 === 1
}

function unescapeProperty(text: string): string {
  return text.replaceAll(/\\(?:u([0-9A-Fa-f]{4})|(.?))/gs, (_, code: string | undefined, character: string) =>
    code === undefined ? (controlCharacters[character] ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const controlCharacters: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' }
