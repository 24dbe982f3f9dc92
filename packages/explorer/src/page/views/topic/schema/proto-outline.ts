import { type ProtoToken, protoTokens } from './proto-tokens.ts'

export interface ProtoField {
  readonly name: string
  /** As it is written: `uint64`, `map<string, Item>`. */
  readonly type: string
  /** Full name of the message or enum that it refers to, unless that is one of Google's. */
  readonly refersTo?: string
  readonly label?: 'optional' | 'repeated'
  readonly oneof?: string
  readonly number: string
  readonly comment: string
}

export interface ProtoDeclaration {
  readonly kind: 'message' | 'enum'
  readonly fullName: string
  readonly comment: string
  /** Of a message. */
  readonly fields: readonly ProtoField[]
  /** Of an enum. */
  readonly values: readonly { readonly name: string; readonly number: string; readonly comment: string }[]
}

/** The messages and enums of a .proto text as the gateway writes it, by full name. What is not understood is left out. */
export function outlineOf(text: string): ReadonlyMap<string, ProtoDeclaration> {
  const found = new Map<string, Writable>()
  const reader = createReader(protoTokens(text).filter(({ kind }) => kind !== 'space'))
  let file = ''
  while (!reader.isAtEnd()) readStatement('')
  for (const { fields, file } of found.values())
    for (const [index, field] of fields.entries()) fields[index] = { ...field, ...referred(field.type, file) }
  return found

  function readStatement(scope: string, oneof?: string, inside?: Writable): void {
    const comment = reader.comment()
    const first = reader.next()
    if (first.kind !== 'keyword' && first.kind !== 'type' && first.kind !== 'name') return
    if (first.text === 'syntax') file = ''
    if (first.text === 'package') file = reader.next().text
    if (['syntax', 'package', 'import', 'option', 'reserved'].includes(first.text)) reader.skipStatement()
    else if (first.text === 'message' || first.text === 'enum') readBlock(first.text, comment, scope)
    else if (first.text === 'oneof') {
      const name = reader.next().text
      reader.next()
      while (reader.isInside()) readStatement(scope, name, inside)
      reader.next()
    } else if (inside) readMember(first, comment, inside, oneof)
  }

  function readBlock(kind: 'message' | 'enum', comment: string, scope: string): void {
    const name = `${scope}${reader.next().text}`
    const fullName = file === '' ? name : `${file}.${name}`
    const declaration: Writable = { kind, fullName, comment, fields: [], values: [], file }
    found.set(fullName, declaration)
    reader.next()
    while (reader.isInside()) readStatement(`${name}.`, undefined, declaration)
    reader.next()
  }

  function readMember(first: ProtoToken, comment: string, { kind, fields, values }: Writable, oneof?: string): void {
    if (kind === 'enum') {
      reader.next()
      values.push({ name: first.text, number: reader.until(';'), comment })
      return
    }
    const label = first.text === 'optional' || first.text === 'repeated' ? first.text : undefined
    const start = label ? reader.next().text : first.text
    const type = start === 'map' ? `map${reader.until('>').replace(',', ', ')}>` : start
    const name = reader.next().text
    reader.next()
    fields.push({ name, type, number: reader.until(';'), comment, ...(label && { label }), ...(oneof && { oneof }) })
  }

  /** The gateway writes names of the package of a file without it. */
  function referred(type: string, file: string): { readonly refersTo?: string } {
    const name = /^map<\w+, (.+)>$/.exec(type)?.[1] ?? type
    const fullName = [`${file}.${name}`, name].find((one) => found.has(one))
    return fullName ? { refersTo: fullName } : {}
  }
}

interface Writable extends ProtoDeclaration {
  readonly fields: ProtoField[]
  readonly values: { readonly name: string; readonly number: string; readonly comment: string }[]
  /** The package of its file. */
  readonly file: string
}

const end: ProtoToken = { kind: 'other', text: '' }

function createReader(tokens: readonly ProtoToken[]) {
  let place = 0
  const next = () => tokens[place++] ?? end
  const isAtEnd = () => place >= tokens.length
  return {
    next,
    isAtEnd,
    isInside: () => !isAtEnd() && tokens[place]!.text !== '}',
    comment() {
      const lines: string[] = []
      while (tokens[place]?.kind === 'comment') lines.push(next().text.replace(/^\/\/ ?/, ''))
      return lines.join('\n')
    },
    until(text: string) {
      let passed = ''
      for (let token = next(); token !== end && token.text !== text; token = next()) passed += token.text
      return passed
    },
    skipStatement() {
      for (let token = next(); token !== end && token.text !== ';'; token = next());
    },
  }
}
