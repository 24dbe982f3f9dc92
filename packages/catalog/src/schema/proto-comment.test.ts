import { expect, it } from 'vitest'
import { listDeclarations } from './proto-declarations.ts'

it.each([
  ['above a field', 'message M {\n  // One.\n  // Two.\n  string x = 1;\n}', 'One.\nTwo.'],
  ['above a field as a block', 'message M {\n  /* One.\n   * Two.\n   */\n  string x = 1;\n}', 'One.\nTwo.'],
  ['above a field as a block of one line', 'message M {\n  /** One. */\n  string x = 1;\n}', 'One.'],
  ['with an indented line', 'message M {\n  // One:\n  //   x\n  string x = 1;\n}', 'One:\n  x'],
  ['after a field', 'message M {\n  string x = 1; // One.\n}', 'One.'],
  ['after a field as a block', 'message M {\n  string x = 1; /* One. */\n}', 'One.'],
  ['after a field of several lines', 'message M {\n  string x =\n    1; // One.\n}', 'One.'],
  ['above a field, not after it,', 'message M {\n  // One.\n  string x = 1; // Two.\n}', 'One.'],
  ['above a message', '// One.\nmessage x {\n  string y = 1;\n}', 'One.'],
  ['after the brace of a message', 'message x { // One.\n  string y = 1;\n}', 'One.'],
  ['above an enum value', 'enum E {\n  // One.\n  x = 0;\n}', 'One.'],
  ['above a oneof', 'message M {\n  // One.\n  oneof x {\n    string y = 1;\n  }\n}', 'One.'],
  ['with Windows line endings', 'message M {\r\n  // One.\r\n  string x = 1;\r\n}', 'One.'],
  ['before a blank line', 'message M {\n  // One.\n\n  string x = 1;\n}', undefined],
  ['after the previous field', 'message M {\n  string y = 2; // One.\n  string x = 1;\n}', undefined],
  ['after the previous field as a block', 'message M {\n  string y = 2; /* One. */\n  string x = 1;\n}', undefined],
  ['above a message on one line', '// One.\nmessage M { string x = 1; }', undefined],
  ['after a message on one line', 'message M { string x = 1; } // One.', undefined],
  ['without text', 'message M {\n  //\n  string x = 1;\n}', undefined],
])('a comment %s', (_, source, comment) => {
  expect(listDeclarations(source).find(({ name }) => name === 'x')?.comment).toBe(comment)
})
