import type { SchemaPair } from './schema-pair.ts'

const any = 'google.protobuf.Any'

export const reservationPairs: readonly SchemaPair[] = [
  ['a reservation added', 'message M {}', 'message M { reserved 5; reserved "x"; }'],
  [
    'numbers and names added',
    'message M { reserved 5 to 6; reserved "x"; }',
    'message M { reserved 7, 5, 6; reserved "x", "y"; }',
  ],
  ['a range split without a gap', 'message M { reserved 5 to 9; }', 'message M { reserved 7 to 9, 5 to 6; }'],
  ['ranges joined', 'message M { reserved 5, 6; reserved 7 to 9; }', 'message M { reserved 5 to 9; }'],
  ['a range extended to max', 'message M { reserved 5 to 9; }', 'message M { reserved 4 to max; }'],
  ['a number no longer reserved', 'message M { reserved 5; }', 'message M {}', 'reservation_removed M'],
  ['a name no longer reserved', 'message M { reserved "x"; }', 'message M {}', 'reservation_removed M'],
  [
    'a range with a gap',
    'message M { reserved 5 to 9; }',
    'message M { reserved 5 to 6, 8 to 9; }',
    'reservation_removed M',
  ],
  [
    'a range shortened',
    'message M { reserved 5 to max; }',
    'message M { reserved 5 to 100; }',
    'reservation_removed M',
  ],
  ['a number used', 'message M { reserved 5; }', 'message M { int32 a = 5; }', 'reservation_removed M.a'],
  ['a name used', 'message M { reserved "a"; }', 'message M { int32 a = 5; }', 'reservation_removed M.a'],
  [
    'a number and a name used',
    'message M { reserved 5; reserved "a"; }',
    'message M { int32 a = 5; }',
    'reservation_removed M.a',
    'reservation_removed M.a',
  ],
  [
    'a number used by a member of a oneof',
    'message M { reserved 2; oneof o { int32 a = 1; } }',
    'message M { oneof o { int32 a = 1; int32 b = 2; } }',
    'reservation_removed M.b',
  ],
  [
    'a reservation removed from a nested message',
    'message M { repeated P p = 1; } message P { reserved 2; }',
    'message M { repeated P p = 1; } message P {}',
    'reservation_removed P',
  ],
  [
    'a reservation removed from a message of no topic',
    'message M {} message P { reserved 2; }',
    'message M {} message P {}',
  ],
]

const withE = (body: string) => `message M { E e = 1; } enum E { ${body} }`

export const enumPairs: readonly SchemaPair[] = [
  ['a value added', withE('A = 0;'), withE('A = 0; B = 1;')],
  ['a negative value added', withE('A = 0;'), withE('A = 0; B = -1;')],
  ['the order of values', withE('A = 0; B = 1; C = 2;'), withE('A = 0; C = 2; B = 1;')],
  ['a second name', withE('A = 0; B = 1;'), withE('option allow_alias = true; A = 0; B = 1; C = 1;')],
  ['the second name removed', withE('option allow_alias = true; A = 0; B = 1; C = 1;'), withE('A = 0; B = 1;')],
  ['a value deprecated', withE('A = 0; B = 1;'), withE('A = 0; B = 1 [deprecated = true];')],
  ['a value removed', withE('A = 0; B = 1;'), withE('A = 0;'), 'enum_value_removed E'],
  [
    'a value removed and reserved',
    withE('A = 0; B = 1;'),
    withE('reserved 1; reserved "B"; A = 0;'),
    'enum_value_removed E',
  ],
  ['a value renumbered', withE('A = 0; B = 1;'), withE('A = 0; B = 2;'), 'enum_value_renumbered E.B'],
  [
    'two values swapped',
    withE('A = 0; B = 1; C = 2;'),
    withE('A = 0; B = 2; C = 1;'),
    'enum_value_renumbered E.B',
    'enum_value_renumbered E.C',
  ],
  ['a value renamed', withE('A = 0; B = 1;'), withE('A = 0; C = 1;'), 'enum_value_renamed E.C'],
  ['the zero renamed', withE('A = 0;'), withE('Z = 0;'), 'enum_value_renamed E.Z'],
  [
    'a second name before the first',
    withE('A = 0; B = 1;'),
    withE('option allow_alias = true; A = 0; C = 1; B = 1;'),
    'enum_value_renamed E.C',
  ],
  [
    'the first name removed',
    withE('option allow_alias = true; A = 0; B = 1; C = 1;'),
    withE('A = 0; C = 1;'),
    'enum_value_renamed E.C',
  ],
  ['a reservation added', withE('A = 0;'), withE('reserved 5 to max; reserved "X"; A = 0;')],
  ['reserved ranges joined', withE('reserved 5, 6, 7; A = 0;'), withE('reserved 5 to 7; A = 0;')],
  ['a number no longer reserved', withE('reserved 5; A = 0;'), withE('A = 0;'), 'reservation_removed E'],
  ['a name no longer reserved', withE('reserved "X"; A = 0;'), withE('A = 0;'), 'reservation_removed E'],
  [
    'the end of a range no longer reserved',
    withE('reserved 5 to 7; A = 0;'),
    withE('reserved 5 to 6; A = 0;'),
    'reservation_removed E',
  ],
  [
    'the last number no longer reserved',
    withE('reserved 5 to max; A = 0;'),
    withE('reserved 5 to 2147483646; A = 0;'),
    'reservation_removed E',
  ],
  ['a reserved number used', withE('reserved 5; A = 0;'), withE('A = 0; B = 5;'), 'reservation_removed E.B'],
  [
    'a reserved negative number used',
    withE('reserved -5 to -1; A = 0;'),
    withE('reserved -4 to -1; A = 0; B = -5;'),
    'reservation_removed E.B',
  ],
  ['a reserved name used', withE('reserved "B"; A = 0;'), withE('A = 0; B = 5;'), 'reservation_removed E.B'],
  [
    'a value of a map renamed',
    'message M { map<string, E> e = 1; } enum E { A = 0; }',
    'message M { map<string, E> e = 1; } enum E { B = 0; }',
    'enum_value_renamed E.B',
  ],
  [
    'a value removed from an enum of a nested message',
    'message M { message N { enum E { A = 0; B = 1; } repeated E e = 1; } N n = 1; }',
    'message M { message N { enum E { A = 0; } repeated E e = 1; } N n = 1; }',
    'enum_value_removed M.N.E',
  ],
  [
    'a value removed from an enum of no topic',
    'message M {} enum E { A = 0; B = 1; }',
    'message M {} enum E { A = 0; }',
  ],
  [
    'a number instead of an enum',
    'message M { E e = 1; } enum E { A = 0; }',
    'message M { int32 e = 1; }',
    'type_changed M.e',
  ],
  [
    'an enum instead of a number',
    'message M { int32 e = 1; }',
    'message M { E e = 1; } enum E { A = 0; }',
    'type_changed M.e',
  ],
]

const message = 'message P { int32 x = 1; }'
const enumeration = 'enum P { A = 0; B = 1; }'
/** A message and an enum of the same name as the type of each kind of field. */
const kindPairs = ['P a = 1;', 'repeated P a = 1;', 'map<string, P> a = 1;', 'oneof o { P a = 1; }'].flatMap(
  (field): SchemaPair[] => [
    [
      `an enum instead of a message in ${field}`,
      `message M { ${field} } ${message}`,
      `message M { ${field} } ${enumeration}`,
      'type_changed M.a',
    ],
    [
      `a message instead of an enum in ${field}`,
      `message M { ${field} } ${enumeration}`,
      `message M { ${field} } ${message}`,
      'type_changed M.a',
    ],
  ],
)

export const typePairs: readonly SchemaPair[] = [
  ...kindPairs,
  [
    'an enum instead of a nested message',
    'message M { message P {} P a = 1; }',
    'message M { enum P { A = 0; } P a = 1; }',
    'type_changed M.a',
  ],
  [
    'an enum instead of a message two levels deep',
    'message M { Q q = 1; } message Q { P a = 1; } message P {}',
    'message M { Q q = 1; } message Q { P a = 1; } enum P { A = 0; }',
    'type_changed Q.a',
  ],
  [
    'a message instead of an imported enum',
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': enumeration },
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': message },
    'type_changed M.a',
  ],
  [
    'an enum instead of a message of two fields',
    'message M { P a = 1; repeated P b = 2; } message P {}',
    'message M { P a = 1; repeated P b = 2; } enum P { A = 0; }',
    'type_changed M.a',
    'type_changed M.b',
  ],
  ['an enum instead of a message of no topic', `message M {} ${message}`, `message M {} ${enumeration}`],
  [
    'an enum instead of a message that an Any may contain',
    `message M { ${any} a = 1; } ${message}`,
    `message M { ${any} a = 1; } ${enumeration}`,
    'message_removed M',
  ],
  [
    'a message removed that an Any may contain',
    `message M { ${any} a = 1; } ${message}`,
    `message M { ${any} a = 1; }`,
    'message_removed M',
  ],
  [
    'a field of a message that an Any may contain',
    `message M { repeated ${any} a = 1; } ${message}`,
    `message M { repeated ${any} a = 1; } message P { bool x = 1; }`,
    'type_changed P.x',
  ],
  ['a message added to a schema with an Any', `message M { ${any} a = 1; }`, `message M { ${any} a = 1; } ${message}`],
  ['another message', 'message M { P a = 1; } message P {}', 'message M { Q a = 1; } message Q {}', 'type_changed M.a'],
  [
    'another enum',
    'message M { E a = 1; } enum E { A = 0; }',
    'message M { F a = 1; } enum F { A = 0; }',
    'type_changed M.a',
  ],
  [
    'a message moved to the top level',
    'message M { message P {} P a = 1; }',
    'message M { P a = 1; } message P {}',
    'type_changed M.a',
  ],
  [
    'a message moved into another message',
    'message M { P a = 1; } message P {}',
    'message M { message P {} P a = 1; }',
    'type_changed M.a',
  ],
  [
    'a message shadowed by a nested one of the same name',
    'message M { P a = 1; } message P { int32 x = 1; }',
    'message M { message P { int32 x = 1; } P a = 1; } message P { int32 x = 1; }',
    'type_changed M.a',
  ],
  [
    'a message moved to another file',
    `message M { P a = 1; } ${message}`,
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': message },
  ],
  [
    'an enum moved to another file, with a value removed',
    `message M { P a = 1; } ${enumeration}`,
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': 'enum P { A = 0; }' },
    'enum_value_removed P',
  ],
  [
    'a message moved from another file',
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': message },
    `message M { P a = 1; } ${message}`,
  ],
  [
    'another file of the same package',
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': message },
    { 'a.proto': 'message M { P a = 1; }', 'c.proto': message },
  ],
  [
    'a field of an imported message',
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': message },
    { 'a.proto': 'message M { P a = 1; }', 'b.proto': 'message P { int32 x = 2; }' },
    'field_renumbered P.x',
  ],
  ['an unused import added', 'message M {}', { 'a.proto': 'message M {}', 'b.proto': message }],
  ['a type of no topic removed', `message M {} ${message}`, 'message M {}'],
  ['a type removed with its field', `message M { P a = 1; } ${message}`, 'message M { reserved 1; reserved "a"; }'],
  [
    'a type of a removed field',
    `message M { P a = 1; } ${message}`,
    'message M { reserved 1; reserved "a"; P b = 2; } message P { bool x = 1; }',
  ],
  [
    'a field of a value of a map',
    'message M { map<int64, P> a = 1; } message P { int32 x = 1; }',
    'message M { map<int64, P> a = 1; } message P { repeated int32 x = 1; }',
    'cardinality_changed P.x',
  ],
  [
    'a field of a message that two messages contain',
    'message M { P a = 1; Q b = 2; } message P { Q q = 1; } message Q { int32 x = 1; }',
    'message M { P a = 1; Q b = 2; } message P { Q q = 1; } message Q { int64 x = 1; }',
    'type_changed Q.x',
  ],
  [
    'a field of messages that contain each other',
    'message M { P a = 1; } message P { M m = 1; int32 x = 2; }',
    'message M { P a = 1; } message P { M m = 1; sint32 x = 2; }',
    'type_changed P.x',
  ],
]
