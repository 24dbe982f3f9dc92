import { expect, it } from 'vitest'
import { commentLength } from './comment-text.ts'
import { listDeclarations } from './proto-declarations.ts'

it.each([
  ['above a field', 'message M {\n  // One.\n  // Two.\n  string x = 1;\n}', 'One.\nTwo.'],
  ['above a field as a block', 'message M {\n  /* One.\n   * Two.\n   */\n  string x = 1;\n}', 'One.\nTwo.'],
  ['above a field as a block of one line', 'message M {\n  /** One. */\n  string x = 1;\n}', 'One.'],
  ['with an indented line', 'message M {\n  // One:\n  //   x\n  string x = 1;\n}', 'One:\n  x'],
  ['with more slashes', 'message M {\n  /// One.\n  //////\n  string x = 1;\n}', 'One.'],
  [
    'with markup',
    'message M {\n  // <b title="a">One</b> &amp; \\n\n  string x = 1;\n}',
    '<b title="a">One</b> &amp; \\n',
  ],
  [
    'with control characters',
    'message M {\n  // One\0\u001b[31m\u009b\u2028\tTwo\r\n  string x = 1;\n}',
    'One  [31m  \tTwo',
  ],
  ['after a field', 'message M {\n  string x = 1; // One.\n}', 'One.'],
  ['after a field as a block', 'message M {\n  string x = 1; /* One. */\n}', 'One.'],
  ['after a field of several lines', 'message M {\n  string x =\n    1; // One.\n}', 'One.'],
  ['above a field, not after it,', 'message M {\n  // One.\n  string x = 1; // Two.\n}', 'One.'],
  ['above a message', '// One.\nmessage x {\n  string y = 1;\n}', 'One.'],
  ['after the brace of a message', 'message x { // One.\n  string y = 1;\n}', 'One.'],
  ['above an enum value', 'enum E {\n  // One.\n  x = 0;\n}', 'One.'],
  ['above a oneof', 'message M {\n  // One.\n  oneof x {\n    string y = 1;\n  }\n}', 'One.'],
  ['with Windows line endings', 'message M {\r\n  // One.\r\n  string x = 1;\r\n}', 'One.'],
  ['after a field, with Windows line endings', 'message M {\r\n  string x = 1; // One.\r\n}', 'One.'],
  ['before a blank line', 'message M {\n  // One.\n\n  string x = 1;\n}', undefined],
  ['after the previous field', 'message M {\n  string y = 2; // One.\n  string x = 1;\n}', undefined],
  ['after the previous field as a block', 'message M {\n  string y = 2; /* One. */\n  string x = 1;\n}', undefined],
  ['above a message on one line', '// One.\nmessage M { string x = 1; }', undefined],
  ['after a message on one line', 'message M { string x = 1; } // One.', undefined],
  ['without text', 'message M {\n  //\n  string x = 1;\n}', undefined],
])('a comment %s', (_, source, comment) => {
  expect(listDeclarations(source).find(({ name }) => name === 'x')?.comment).toBe(comment)
})

it('a long comment is cut between two characters', () => {
  const commentOf = (text: string) => listDeclarations(`// ${text}\nmessage x {}`)[0]!.comment
  expect(commentOf('a'.repeat(commentLength))).toBe('a'.repeat(commentLength))
  expect(commentOf('a'.repeat(commentLength + 1))).toBe(`${'a'.repeat(commentLength - 1)}…`)
  expect(commentOf(`${'a'.repeat(commentLength - 2)}😀😀`)).toBe(`${'a'.repeat(commentLength - 2)}…`)
})
