import { cursorLimit, type JsonSchema } from '@headrace/catalog'

export const cursorSchema: JsonSchema = {
  type: 'string',
  description: 'A place between records, opaque. Use it as it was received.',
  pattern: '^A[Q-Za-v][A-Za-z0-9_-]*$',
  maxLength: cursorLimit,
}

const keywords = '(earliest|latest|final)'
const ago = '-\\d{1,9}[smhd]'
const last = 'last:([1-9]\\d{0,3}|10000)'
const date = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])'
const time = '([01]\\d|2[0-3])(:[0-5]\\d){2}(\\.\\d{1,9})?'
const zone = '([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)'

/** Unlike `parsePosition`, the pattern accepts a day that its month does not have. */
export function positionSchema({ isStart }: { readonly isStart: boolean }): JsonSchema {
  const forms = [keywords, ago, `${date}[Tt]${time}${zone}`, ...(isStart ? [last] : [])]
  return {
    description: 'A cursor, a keyword, an RFC 3339 time or a time ago.',
    anyOf: [{ $ref: '#/components/schemas/Cursor' }, { type: 'string', pattern: `^(${forms.join('|')})$` }],
  }
}

export const timeSchema: JsonSchema = {
  type: 'string',
  description: 'An RFC 3339 time or a time ago.',
  pattern: `^(${ago}|${date}[Tt]${time}${zone})$`,
}
