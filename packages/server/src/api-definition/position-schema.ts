import { cursorLimit, type JsonSchema } from '@headrace/catalog'

/** A cursor as text. Which ones mean something, only the gateway knows. */
export const cursorSchema: JsonSchema = {
  type: 'string',
  description: 'A place between records, opaque. Use it as it was received.',
  pattern: '^A[Q-Za-v][A-Za-z0-9_-]*$',
  maxLength: cursorLimit,
}

const words = '(earliest|latest|final)'
const ago = '-\\d{1,9}[smhd]'
const last = 'last:([1-9]\\d{0,3}|10000)'
const date = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const time = '([01]\\d|2[0-3])(:[0-5]\\d){2}(\\.\\d{1,9})?'
const zone = '([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)'

/** A position as text, as `parsePosition` reads it. A day that its month does not have is the one thing it lets by. */
export function positionSchema({ isStart }: { readonly isStart: boolean }): JsonSchema {
  const forms = [words, ago, `${date}[Tt]${time}${zone}`, ...(isStart ? [last] : [])]
  return {
    description: 'A cursor, a word, an RFC 3339 time or a time ago.',
    anyOf: [{ $ref: '#/components/schemas/Cursor' }, { type: 'string', pattern: `^(${forms.join('|')})$` }],
  }
}

/** A time as text, as `parsePosition` reads one. */
export const timeSchema: JsonSchema = {
  type: 'string',
  description: 'An RFC 3339 time or a time ago.',
  pattern: `^(${ago}|${date}[Tt]${time}${zone})$`,
}
