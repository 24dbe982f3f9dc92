import type { FieldType } from '../field/topic-fields.ts'

/** Values in the form of the API at the ends of what each type allows, and what programs often get wrong. */
export const hostileValues: Readonly<Record<FieldType, readonly unknown[]>> = {
  bool: [true, false],
  int32: [0, -1, 2 ** 31 - 1, -(2 ** 31)],
  uint32: [0, 2 ** 32 - 1],
  int64: ['0', '9007199254740993', '9223372036854775807', '-9223372036854775808'],
  uint64: ['0', '9223372036854775808', '18446744073709551615'],
  float: [0, 1.5, 3.4028234663852886e38, -1.401298464324817e-45, 'NaN', 'Infinity', '-Infinity'],
  double: [0, 0.1, 1e21, 123456789.12345679, Number.MAX_VALUE, -Number.MIN_VALUE, 'NaN', 'Infinity', '-Infinity'],
  string: [
    ...[
      '',
      ' ',
      'null',
      'NULL',
      '\\N',
      '\\.',
      "'; drop table orders; --",
      '"',
      '\\',
      '\\\\n',
      '{}',
      '🦆 ａ é e\u0301 \u202e',
    ],
    ...['\n', '\r\n', '\t', 'a\u0001b\u001f', '\u007f\u0085', '\ufeff\uffff', 'x'.repeat(100_000)],
  ],
  hex: ['0x', '0x00', '0x00ff5c6e', `0x${'5c'.repeat(1000)}`],
  base64: ['', 'AA==', 'AAE=', '/+/+', Buffer.alloc(1000, 92).toString('base64')],
  enum: ['ORDER_PAID', 'select', 17, -1, 2 ** 31 - 1],
  timestamp: [
    ...['1970-01-01T00:00:00Z', '2026-08-21T10:00:00.100Z', '2026-08-21T10:00:00.123456Z'],
    ...['2026-08-21T10:00:00.123456789Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'],
    ...['1969-12-31T23:59:59.999999999Z', '2016-12-31T23:59:59Z', '1582-10-10T00:00:00Z'],
  ],
  duration: ['0s', '1.500s', '-0.000000001s', '315576000000s', '-315576000000.999999999s'],
  json: [
    ...[{}, [], { id: '1', child: nested(60) }, [[]], ['a', 'b'], Array.from({ length: 10_000 }, (_, n) => n)],
    // Keys of maps.
    ...[parsed('{"":"a","__proto__":"b","a\\"b":"c","select":"d","1":"e","\\n":"f"}'), { big: '18446744073709551615' }],
    ...[[0.1, 1e21, 5e-324, 'NaN', true, 'text\t\\ \u2028'], { '@type': 'type.googleapis.com/acme.Any', value: '1s' }],
  ],
}

/** What many destinations cannot store. */
export const refusableValues: readonly (readonly [FieldType, unknown])[] = [
  ['string', 'a\0b'],
  ['json', { text: 'a\0b' }],
  ['json', { '\0': 'key' }],
  ['json', { text: '\\u0000' }],
  ['string', 'z'.repeat(10 << 20)],
]

/** A message that contains itself. */
function nested(depth: number): unknown {
  return depth === 0 ? { id: '0' } : { id: `${depth}`, child: nested(depth - 1) }
}

/** A literal would set the prototype. */
function parsed(text: string): unknown {
  return JSON.parse(text)
}
