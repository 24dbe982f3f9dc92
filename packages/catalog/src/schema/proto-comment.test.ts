import { expect, it } from 'vitest'
import { listDeclarations } from './proto-declarations.ts'

it.each([
  ['above a field', 'message M {\n  // One.\n  // Two.\n  string x = 1;\n}', 'One.\nTwo.'],
  ['above it as a block', 'message M {\n  /* One.\n   * Two.\n   */\n  string x = 1;\n}', 'One.\nTwo.'],
  ['above it as a block of one line', 'message M {\n  /** One. */\n  string x = 1;\n}', 'One.'],
  ['with an indented line', 'message M {\n  // One:\n  //   x\n  string x = 1;\n}', 'One:\n  x'],
  ['behind a field', 'message M {\n  string x = 1; // One.\n}', 'One.'],
  ['behind it as a block', 'message M {\n  string x = 1; /* One. */\n}', 'One.'],
  ['behind a field of several lines', 'message M {\n  string x =\n    1; // One.\n}', 'One.'],
  ['above it rather than behind', 'message M {\n  // One.\n  string x = 1; // Two.\n}', 'One.'],
  ['above a message', '// One.\nmessage x {\n  string y = 1;\n}', 'One.'],
  ['behind its brace', 'message x { // One.\n  string y = 1;\n}', 'One.'],
  ['above an enum value', 'enum E {\n  // One.\n  x = 0;\n}', 'One.'],
  ['above a oneof', 'message M {\n  // One.\n  oneof x {\n    string y = 1;\n  }\n}', 'One.'],
  ['of Windows', 'message M {\r\n  // One.\r\n  string x = 1;\r\n}', 'One.'],
  ['parted by a blank line', 'message M {\n  // One.\n\n  string x = 1;\n}', undefined],
  ['behind the field before', 'message M {\n  string y = 2; // One.\n  string x = 1;\n}', undefined],
  ['behind it as a block, on the line above', 'message M {\n  string y = 2; /* One. */\n  string x = 1;\n}', undefined],
  ['above the message, on whose line the field is', '// One.\nmessage M { string x = 1; }', undefined],
  ['behind the message, on whose line the field is', 'message M { string x = 1; } // One.', undefined],
  ['without words', 'message M {\n  //\n  string x = 1;\n}', undefined],
])('a comment %s', (_, source, comment) => {
  expect(listDeclarations(source).find(({ name }) => name === 'x')?.comment).toBe(comment)
})
