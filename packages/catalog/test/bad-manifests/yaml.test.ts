import { expect, it } from 'vitest'
import { head, problemsOf } from '../support/manifest-problems.ts'

// The mistake, the lines before it, the lines with it, and every reported problem as it is printed.
it.each([
  [
    'an empty file',
    '',
    ``,
    'manifest.yaml:1:1: error: The manifest is empty; it must be a map with at least the fields package, owner and version.',
  ],
  [
    'a file with only a comment',
    '',
    `# nothing yet`,
    'manifest.yaml:1:1: error: The manifest is empty; it must be a map with at least the fields package, owner and version.',
  ],
  [
    'a file that is a list',
    '',
    `- package: evm`,
    'manifest.yaml:1:1: error: The manifest is a list; it must be a map with at least the fields package, owner and version.',
  ],
  [
    'a file that is a string',
    '',
    `evm`,
    'manifest.yaml:1:1: error: The manifest is "evm"; it must be a map with at least the fields package, owner and version.',
  ],
  [
    'a file that is a number',
    '',
    `42`,
    'manifest.yaml:1:1: error: The manifest is 42 (a number); it must be a map with at least the fields package, owner and version.',
  ],
  [
    'two fields on one line',
    '',
    `package: evm owner: acme`,
    'manifest.yaml:1:10: error: A ":" is inside a value. Write each field on its own line, with the indentation of the other fields, or put a string that contains ": " in quotes.',
  ],
  [
    'a field indented under a string',
    '',
    `package: evm
  owner: acme`,
    'manifest.yaml:1:10: error: A ":" is inside a value. Write each field on its own line, with the indentation of the other fields, or put a string that contains ": " in quotes.',
  ],
  [
    'a field less indented than the other fields',
    '',
    `  package: evm
 owner: acme`,
    'manifest.yaml:2:2: error: This is not allowed here. Use the same indentation for all fields of a map, and write nothing after a value.',
  ],
  [
    'an unclosed list',
    head,
    `topics: [`,
    'manifest.yaml:5:1: error: A ] is missing before this place. Add it at the end of the value.',
  ],
  [
    'an unclosed map',
    head,
    `run: { command`,
    'manifest.yaml:5:1: error: A } is missing before this place. Add it at the end of the value.',
  ],
  [
    'an unclosed string',
    head,
    `title: "EVM`,
    'manifest.yaml:5:1: error: A " is missing before this place. Add it at the end of the value.',
  ],
  [
    'a tab as indentation',
    head,
    `topics:
	- message: Block`,
    'manifest.yaml:5:1: error: The indentation contains a tab. Use spaces.',
  ],
  [
    'a field that occurs twice',
    head,
    `title: a
title: b`,
    'manifest.yaml:5:1: error: This field exists twice. Remove one of them.',
  ],
  [
    'a line without a colon',
    head,
    `title EVM`,
    'manifest.yaml:4:1: error: A field is expected here, but the line has no ":". Write it as  name: value',
  ],
  [
    'a string that begins with a reserved character',
    head,
    `author: @acme`,
    'manifest.yaml:4:9: error: A string begins with a character that has a meaning in YAML. Put the string in quotes.',
  ],
  [
    'a string that begins with a percent sign',
    head,
    `title: %d blocks`,
    'manifest.yaml:4:8: error: A string begins with a character that has a meaning in YAML. Put the string in quotes.',
  ],
  [
    'an unknown escape sequence',
    head,
    `title: "\\q"`,
    'manifest.yaml:4:9: error: A string in double quotes contains an unknown escape. Write "\\\\" for a backslash, or use single quotes.',
  ],
  [
    'a list under a map',
    head,
    `- topics`,
    'manifest.yaml:4:1: error: A field is expected here, but the line has no ":". Write it as  name: value',
  ],
  [
    'a second document',
    head,
    `---
title: b`,
    'manifest.yaml:4:1: error: A second document begins here with "---". A manifest is one document: remove the line and what follows.',
  ],
  [
    'a directive',
    '',
    `%TAG
---
package: evm`,
    'manifest.yaml:1:1: error: A line that begins with "%" is a YAML directive, and this one is unknown. Remove it.',
  ],
  [
    'an alias',
    head,
    `title: *name`,
    'manifest.yaml:4:8: error: The alias *name is not supported. Write the value itself.',
  ],
  [
    'an alias that contains itself',
    head,
    `config: &a { properties: { b: *a } }`,
    'manifest.yaml:4:31: error: The alias *a is not supported. Write the value itself.',
  ],
  [
    'a list as the name of a field',
    head,
    `config: { properties: { [a]: {} } }`,
    'manifest.yaml:4:25: error: The name of a field is a list; it must be a string.',
  ],
  [
    'a tag',
    head,
    `title: !secret x`,
    'manifest.yaml:4:8: error: Tags, which begin with "!", are not supported. Remove it, or put the string in quotes.',
  ],
] as const)('loadProject reports %s', async (_, before, lines, ...problems) => {
  expect(await problemsOf(`${before}${lines}\n`)).toEqual(problems)
})
