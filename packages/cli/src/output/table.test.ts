import { expect, test } from 'vitest'
import { formatTable } from './table.ts'

test('control characters, colours and line breaks are shown as text', () => {
  const table = formatTable([
    ['NAME', 'STATE'],
    ['two\nlines', 'usable'],
    ['\u001b[31mred', 'usable'],
    ['\u009b31m', '\u202e'],
    ['Größe 東京', 'usable'],
  ])
  expect(table).toBe(
    [
      'NAME            STATE',
      'two\\u000alines  usable',
      '\\u001b[31mred   usable',
      '\\u009b31m       \\u202e',
      'Größe 東京        usable',
      '',
    ].join('\n'),
  )
})
