/** Words that can name no type of TypeScript. */
const words =
  'break case catch class const continue debugger default delete do else enum export extends false finally for function ' +
  'if import in instanceof new null return super switch this throw true try typeof var void while with ' +
  'implements interface let package private protected public static yield await undefined ' +
  'abstract as asserts infer keyof readonly unique any bigint boolean never number object string symbol unknown'

/** Words that can name no constant, and what the code of ts-proto uses by its bare name: a type would hide it. */
const used = 'arguments eval Array BigInt BinaryWriter Map MessageFns Uint8Array globalThis message v writer'

/** What ts-proto itself gives another name, which it tells nobody. */
const renamed = 'Date Function'

/** Names that no type in the code of a .proto file can have. */
export const takenInCodecs: ReadonlySet<string> = new Set([words, used, renamed].flatMap((list) => list.split(' ')))

/** Names that no value of an enum can have: each has a type. */
export const takenInEnums: ReadonlySet<string> = new Set(words.split(' '))

/** Names that no type of records can have: `Record` is used in them. */
export const takenInReaderTypes: ReadonlySet<string> = new Set([...words.split(' '), 'Record'])
