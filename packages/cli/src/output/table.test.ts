import { expect, test } from 'vitest'
import { formatTable } from './table.ts'

test('what would move the cursor, colour or break a line is shown as text', () => {
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
