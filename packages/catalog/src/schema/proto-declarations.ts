import { createPlaces, type Place } from '../problem.ts'
import { commentText } from './comment-text.ts'

export interface ProtoDeclaration {
  readonly kind: 'message' | 'enum' | 'oneof' | 'service' | 'field' | 'import' | 'syntax'
  /** For an import, the file. For the syntax, its value. */
  readonly name: string
  /** Enclosing messages and enums, without the package. */
  readonly scope: string
  readonly number?: number
  readonly public?: boolean
  readonly place: Place
  /** Where the type of a field is. Absent for other declarations. */
  readonly typePlace?: Place
  /** Above or behind the declaration, without delimiters. */
  readonly comment?: string
}

interface Token {
  readonly text: string
  readonly place: Place
}

/** Lists the declarations of a source. If it is invalid, as many as can be read. */
export function listDeclarations(source: string): ProtoDeclaration[] {
  const declarations: ProtoDeclaration[] = []
  // `undefined` for a block that is not part of names: a oneof, a method.
  const scopes: (string | undefined)[] = []
  let statement: Token[] = []
  const lines = source.split('\n')
  const add = (declaration: ProtoDeclaration | undefined, end: Token): void => {
    if (!declaration) return
    const comment = commentOf(lines, statement[0]!.place, end.place)
    declarations.push({ ...declaration, ...(comment !== undefined && { comment }) })
  }
  for (const token of tokenize(source)) {
    if (token.text === '{' && opensBlock(statement)) {
      const declaration = readBlock(statement, scopeName(scopes))
      add(declaration, token)
      scopes.push(declaration && declaration.kind !== 'oneof' ? declaration.name : undefined)
      statement = []
    } else if (token.text === ';' || (token.text === '}' && !isValueOpen(statement))) {
      add(readStatement(statement, scopeName(scopes)), token)
      if (token.text === '}') scopes.pop()
      statement = []
    } else statement.push(token)
  }
  return declarations
}

function* tokenize(source: string): Generator<Token> {
  const placeAt = createPlaces(source)
  for (const { 0: text, index } of source.matchAll(tokenPattern))
    if (!text.startsWith('//') && !text.startsWith('/*')) yield { text, place: placeAt(index) }
}

/** A brace in an option does not open a block. */
function opensBlock(statement: readonly Token[]): boolean {
  return /^(message|enum|oneof|service|extend|rpc)$/.test(statement[0]?.text ?? '')
}

function isValueOpen(statement: readonly Token[]): boolean {
  let open = 0
  for (const { text } of statement) open += text === '{' ? 1 : text === '}' ? -1 : 0
  return open > 0
}

function scopeName(scopes: readonly (string | undefined)[]): string {
  return scopes.filter((name) => name !== undefined).join('.')
}

function readBlock([keyword, name]: readonly Token[], scope: string): ProtoDeclaration | undefined {
  if (!name || !/^(message|enum|oneof|service)$/.test(keyword!.text)) return undefined
  return { kind: keyword!.text as ProtoDeclaration['kind'], name: name.text, scope, place: name.place }
}

function readStatement(statement: readonly Token[], scope: string): ProtoDeclaration | undefined {
  const [keyword] = statement
  if (keyword?.text === 'import') return readImport(statement)
  const equals = statement.findIndex(({ text }) => text === '=')
  const value = statement[equals + 1]
  if (equals < 1 || !value || keyword!.text === 'option') return undefined
  if (keyword!.text === 'syntax' || keyword!.text === 'edition')
    return { kind: 'syntax', name: unquote(value.text), scope, place: keyword!.place }
  const name = statement[equals - 1]!
  const type = statement[equals - 2]
  return {
    kind: 'field',
    name: name.text,
    scope,
    number: Number(value.text),
    place: name.place,
    // The value type of a map is before the ">".
    typePlace: ((type?.text === '>' ? statement[equals - 3] : type) ?? name).place,
  }
}

function readImport(statement: readonly Token[]): ProtoDeclaration | undefined {
  const file = statement.find(({ text }) => /^["']/.test(text))
  if (!file) return undefined
  const isPublic = statement[1]?.text === 'public'
  return { kind: 'import', name: unquote(file.text), scope: '', public: isPublic, place: file.place }
}

function unquote(text: string): string {
  return text.slice(1, -1)
}

const tokenPattern =
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\.?[A-Za-z_][\w.]*|-?\d[\w.]*|\S/g

function commentOf(lines: readonly string[], begin: Place, end: Place): string | undefined {
  const isFirst = lines[begin.line - 1]!.slice(0, begin.column - 1).trim() === ''
  return (isFirst ? above(lines.slice(0, begin.line - 1)) : undefined) ?? behind(lines[end.line - 1]!.slice(end.column))
}

function above(lines: readonly string[]): string | undefined {
  const first = lines.findLastIndex((text) => !text.trimStart().startsWith('//')) + 1
  if (first < lines.length) return commentText(lines.slice(first).map((text) => text.trim().replace(/^\/+/, '')))
  if (lines.at(-1)?.trimEnd().endsWith('*/') !== true) return undefined
  const block = lines.slice(lines.findLastIndex((text) => text.includes('/*'))).join('\n')
  const inner = /^\s*\/\*\*?(?<text>[\s\S]*)\*\/\s*$/.exec(block)?.groups?.text
  return inner === undefined
    ? undefined
    : commentText(inner.split('\n').map((text) => text.trimStart().replace(/^\*/, '')))
}

function behind(rest: string): string | undefined {
  const found = /^\s*(?:\/{2,}(?<line>.*)|\/\*\*?(?<block>(?:(?!\*\/).)*)\*\/\s*)$/s.exec(rest)
  return found?.groups && commentText([found.groups.line ?? found.groups.block!])
}
