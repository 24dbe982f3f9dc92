export type ProtoTokenKind = 'comment' | 'text' | 'keyword' | 'type' | 'name' | 'number' | 'space' | 'other'

export interface ProtoToken {
  readonly kind: ProtoTokenKind
  readonly text: string
}

const pattern = /(\/\/[^\n]*)|("(?:[^"\\\n]|\\.)*")|([A-Za-z_][\w.]*)|(\d\w*)|(\s+)|(.)/gsu
const kinds = ['comment', 'text', 'name', 'number', 'space', 'other'] as const
const keywords = new Set('syntax package import option message enum oneof repeated optional map reserved to'.split(' '))
const numbers = 'double float int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64'
const scalars = new Set([...numbers.split(' '), 'bool', 'string', 'bytes'])

/** The tokens of a .proto text as the gateway writes it. Together they are the text, whatever it is. */
export function protoTokens(text: string): ProtoToken[] {
  const tokens = Array.from(text.matchAll(pattern), (match): ProtoToken => {
    const kind = kinds[match.slice(1).findIndex((group) => group !== undefined)]!
    return { kind, text: match[0] }
  })
  return tokens.map((token, index) => (token.kind === 'name' ? { ...token, kind: kindOfName(tokens, index) } : token))
}

/** A type is followed by the name of a field; a name that is a keyword, such as `message`, by `=`. */
function kindOfName(tokens: readonly ProtoToken[], index: number): ProtoTokenKind {
  const { text } = tokens[index]!
  const next = tokens[tokens[index + 1]?.kind === 'space' ? index + 2 : index + 1]
  if (keywords.has(text) && next?.text !== '=') return 'keyword'
  if (text === 'syntax') return 'keyword'
  return scalars.has(text) || next?.kind === 'name' ? 'type' : 'name'
}
