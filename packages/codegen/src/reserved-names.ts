/** Words that cannot name a TypeScript type. */
const reservedWords =
  'break case catch class const continue debugger default delete do else enum export extends false finally for function ' +
  'if import in instanceof new null return super switch this throw true try typeof var void while with ' +
  'implements interface let package private protected public static yield await undefined ' +
  'abstract as asserts infer keyof readonly unique any bigint boolean never number object string symbol unknown'

/** Words that cannot name a constant, and names that the code of ts-proto uses unqualified. */
const used = 'arguments eval Array BigInt BinaryWriter Map MessageFns Uint8Array globalThis message v writer'

/** Names that ts-proto itself replaces. */
const renamed = 'Date Function'

export const reservedInCodecs: ReadonlySet<string> = new Set(
  [reservedWords, used, renamed].flatMap((list) => list.split(' ')),
)

export const reservedInEnums: ReadonlySet<string> = new Set(reservedWords.split(' '))

/** The generated types use the built-in type `Record`. */
export const reservedInReaderTypes: ReadonlySet<string> = new Set([...reservedWords.split(' '), 'Record'])
