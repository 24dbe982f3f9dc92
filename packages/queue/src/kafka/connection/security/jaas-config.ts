/** What a login module is told: `username="…" password="…"`. */
export interface JaasConfig {
  /** Full Java class name. */
  readonly loginModule: string
  readonly options: ReadonlyMap<string, string>
}

/**
 * Reads the value of `sasl.jaas.config`: `<login module> <control flag> <name>=<value> …;`, where values are quoted as
 * Java quotes strings. Like Kafka's own reader it takes `//` and C comments.
 *
 * @throws {SyntaxError} its message says what is wrong and repeats no value, which may be a password.
 */
export function parseJaasConfig(text: string): JaasConfig {
  const tokens = tokenize(text)
  let next = 0
  const take = (kind: Token['kind'], wanted: string): string => {
    const token = tokens[next++]
    if (token?.kind !== kind) throw new SyntaxError(`${wanted} is missing`)
    return token.text
  }
  const loginModule = take('text', 'the login module')
  const flag = take('text', 'the control flag "required" after the login module')
  if (!controlFlags.includes(flag.toLowerCase())) {
    throw new SyntaxError('the word after the login module is not the control flag "required"')
  }
  const options = new Map<string, string>()
  while (tokens[next]?.kind === 'text') {
    const name = take('text', 'the name of an option')
    take('=', `"=" after ${name}`)
    options.set(name, take('text', `the value of ${name}`))
  }
  take(';', options.size === 0 ? 'an option or ";"' : `";" after the value of ${[...options.keys()].at(-1)}`)
  if (next < tokens.length) throw new SyntaxError('there is more than one login module')
  return { loginModule, options }
}

const controlFlags = ['required', 'requisite', 'sufficient', 'optional']

interface Token {
  readonly kind: 'text' | '=' | ';'
  readonly text: string
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = /\s+|\/\/[^\n]*|\/\*.*?\*\/|([=;])|"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'|([\w.$-]+)/gsy
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (!match) throw new SyntaxError('a quote is not closed, or a value with special characters is not in quotes')
    const [, sign, double, single, word] = match
    if (sign !== undefined) tokens.push({ kind: sign as '=' | ';', text: sign })
    const quoted = double ?? single
    if (quoted !== undefined) tokens.push({ kind: 'text', text: withoutEscapes(quoted) })
    if (word !== undefined) tokens.push({ kind: 'text', text: word })
  }
  return tokens
}

/** The escapes of a Java string, octal ones included. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\(?:([0-3]?[0-7]{1,2})|(.))/gs, (_, octal: string | undefined, character: string) =>
    octal === undefined ? (escapes[character] ?? character) : String.fromCharCode(Number.parseInt(octal, 8)),
  )
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', a: '\x07', v: '\v' }
