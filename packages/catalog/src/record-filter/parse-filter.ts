import { excerpt, InvalidFilterError } from './invalid-filter.ts'
import { type Operator, relations, type Syntax } from './syntax.ts'
import { readTokens, type Token } from './tokens.ts'

/** Of the text of a filter, in UTF-16 code units. */
const lengthLimit = 2048
/** Of brackets in each other, and of the members of a path. */
const depthLimit = 32

/**
 * Checks a filter without a topic: the names of fields are not checked.
 *
 * @throws {InvalidFilterError}
 */
export function checkFilterSyntax(filter: string): void {
  parseFilter(filter)
}

/** @throws {InvalidFilterError} */
export function parseFilter(text: string): Syntax {
  if (text.length > lengthLimit)
    throw new InvalidFilterError(
      lengthLimit + 1,
      `it has ${text.length} characters. At most ${lengthLimit} are allowed.`,
    )
  const parser = new Parser(readTokens(text))
  const syntax = parser.any()
  parser.expectEnd()
  return syntax
}

class Parser {
  #at = 0
  #depth = 0
  readonly #tokens: readonly Token[]

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  any(): Syntax {
    return this.#chain('||', () => this.#chain('&&', () => this.#relation()))
  }

  expectEnd(): void {
    if (this.#next.kind !== 'end') throw this.#unexpected('an operator such as "==" or "&&", or the end')
  }

  get #next(): Token {
    return this.#tokens[this.#at]!
  }

  #chain(operator: Operator, operand: () => Syntax): Syntax {
    const first = operand()
    if (this.#next.text !== operator) return first
    const { column } = this.#next
    const operands = [first]
    while (this.#take(operator)) operands.push(operand())
    return { kind: 'operator', operator, operands, column }
  }

  #relation(): Syntax {
    const left = this.#unary()
    const { text, column } = this.#next
    const operator = relations.find((relation) => relation === text)
    if (!operator) return left
    this.#at++
    const operands = [left, this.#unary()]
    if (relations.some((relation) => relation === this.#next.text))
      throw new InvalidFilterError(this.#next.column, 'a comparison has two sides. Join comparisons with "&&" or "||".')
    return { kind: 'operator', operator, operands, column }
  }

  #unary(): Syntax {
    const { text, column, kind } = this.#next
    if (kind !== 'symbol' || (text !== '!' && text !== '-')) return this.#member()
    let count = 0
    while (this.#take(text)) count++
    const operand = this.#member()
    if (count % 2 === 0) return operand
    if (text === '!') return { kind: 'operator', operator: text, operands: [operand], column }
    if (operand.kind !== 'literal' || !isNumber(operand.value))
      throw new InvalidFilterError(column, 'found "-" before something other than a number. Filters do not calculate.')
    return { kind: 'literal', value: -operand.value, column }
  }

  #member(): Syntax {
    let syntax = this.#primary()
    for (let length = 1; ; length++) {
      const { column } = this.#next
      if (this.#take('.')) syntax = this.#afterDot(syntax)
      else if (this.#next.text === '[') syntax = { kind: 'index', of: syntax, key: this.#single('[', ']'), column }
      else return syntax
      if (length > depthLimit) throw new InvalidFilterError(column, `a path has at most ${depthLimit} members.`)
    }
  }

  #afterDot(of: Syntax): Syntax {
    const { kind, text: name, column } = this.#next
    if (kind !== 'name') throw this.#unexpected('the name of a field')
    this.#at++
    if (this.#next.text !== '(') return { kind: 'member', of, name, column }
    return { kind: 'call', name, of, args: this.#nested('(', ')'), column }
  }

  #primary(): Syntax {
    const { kind, text, value, column } = this.#next
    if (kind === 'literal') {
      this.#at++
      return { kind, value: value!, column }
    }
    if (kind === 'name') return this.#name()
    if (text === '(') return this.#single('(', ')')
    if (text === '[') return { kind: 'list', items: this.#nested('[', ']'), column }
    throw this.#unexpected('a field, a value, "!" or "("')
  }

  #name(): Syntax {
    const { text: name, column } = this.#next
    this.#at++
    if (name === 'true' || name === 'false') return { kind: 'literal', value: name === 'true', column }
    if (name === 'null') return { kind: 'literal', value: null, column }
    if (this.#next.text !== '(') return { kind: 'name', name, column }
    return { kind: 'call', name, of: undefined, args: this.#nested('(', ')'), column }
  }

  #single(open: string, close: string): Syntax {
    const { column } = this.#next
    const items = this.#nested(open, close)
    if (items.length !== 1)
      throw new InvalidFilterError(
        column,
        `"${open}" and "${close}" must contain one expression, and not ${items.length}.`,
      )
    return items[0]!
  }

  #nested(open: string, close: string): Syntax[] {
    const { column } = this.#next
    this.#at++
    if (++this.#depth > depthLimit)
      throw new InvalidFilterError(column, `brackets are nested more than ${depthLimit} deep.`)
    const items: Syntax[] = []
    if (this.#next.text !== close)
      do items.push(this.any())
      while (this.#take(','))
    if (!this.#take(close)) throw this.#unexpected(`"${close}", which closes the "${open}" at column ${column},`)
    this.#depth--
    return items
  }

  #take(symbol: string): boolean {
    const { kind, text } = this.#next
    if (kind !== 'symbol' || text !== symbol) return false
    this.#at++
    return true
  }

  #unexpected(allowed: string): InvalidFilterError {
    const { kind, text, column } = this.#next
    const found = kind === 'end' ? 'the end' : excerpt(JSON.stringify(text))
    return new InvalidFilterError(column, `found ${found}, where ${allowed} is expected.${wordAdvice.get(text) ?? ''}`)
  }
}

const wordAdvice: ReadonlyMap<string, string> = new Map([
  ['and', ' For "and", write "&&".'],
  ['or', ' For "or", write "||".'],
  ['not', ' For "not", write "!".'],
])

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
