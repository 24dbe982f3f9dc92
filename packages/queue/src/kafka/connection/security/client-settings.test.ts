import { describe, expect, it } from 'vitest'
import { parseClientSettings } from './client-settings.ts'

function values(text: string): Record<string, string> {
  const settings = parseClientSettings(text, 'FILE')
  return Object.fromEntries(settings.keysStartingWith('').map((key) => [key, settings.get(key)!]))
}

describe('a Java properties file', () => {
  it.for([
    ['equals signs, colons and blanks between key and value', 'a=1\nb:2\nc 3\nd = 4\ne\t:\t5', '1', '2', '3', '4', '5'],
    ['blanks before a key, and keeps those after a value', '  a=1 \n\t\fb=2', '1 ', '2'],
    ['separators in a value', 'a==1\nb=x:y=z', '=1', 'x:y=z'],
    ['a key without a value', 'a\nb=', '', ''],
    ['comments and empty lines', '# x=1\n  ! y=2\n\na=1', '1'],
    ['every kind of line end', 'a=1\r\nb=2\rc=3\nd=4', '1', '2', '3', '4'],
    ['continued lines', 'a=1,\\\n   2,\\\r\n\t3\nb=4', '1,2,3', '4'],
    ['a comment sign in a continued line', 'a=1\\\n#2', '1#2'],
    ['a backslash at the end of the file', 'a=1\\', '1'],
    ['an escaped backslash at the end of a line', 'a=C:\\\\\nb=2', 'C:\\', '2'],
    ['escapes', 'a=\\t\\n\\r\\f\\u00e9\\u20AC\\"\\q', '\t\n\r\fé€"q'],
  ])('may have %s', ([, text, ...expected]) => {
    expect(Object.values(values(text!))).toEqual(expected)
  })

  it('may have escapes in a key', () => {
    expect(values('a\\ b\\:c\\=d=1')).toEqual({ 'a b:c=d': '1' })
  })

  it('has the last of several values, and the line of each key', () => {
    const settings = parseClientSettings('a=1\n# comment\nb=2,\\\n  3\na=4\nc=5', 'FILE')
    const describe = (key: string) => [settings.get(key), settings.invalid(key, 'is wrong').message]
    expect(describe('a')).toEqual(['4', 'FILE:5: a is wrong'])
    expect(describe('b')).toEqual(['2,3', 'FILE:3: b is wrong'])
    expect(describe('c')).toEqual(['5', 'FILE:6: c is wrong'])
  })
})
