import { expect, test } from 'vitest'
import { anchorOf, readPage } from './markdown.ts'

const page = readPage(`# The \`connector\` command

| a | table |
|---|---|

- A list.

**Unit.** The [messages](concepts.md#unit) that are published together, in
one transaction. And more.

\`\`\`sh
# no heading
curl [no](link.md)
\`\`\`

## \`GET /api/v1/topics\`

See \`[no](code.md)\`, [\`blank\`](templates/blank.md) and
[a test](test/x(1).ts "title"). <img src="picture.png">

## Unit

## Unit
`)

test('a page has a title, a summary and the anchors that GitHub gives its headings', () => {
  expect(page.title).toBe('The connector command')
  expect(page.summary).toBe('Unit. The messages that are published together, in one transaction.')
  expect([...page.anchors]).toEqual(['the-connector-command', 'get-apiv1topics', 'unit', 'unit-1'])
  expect(anchorOf('Größe — 1_0_0, “so”')).toBe('größe--1_0_0-so')
})

test('what is in code is no link', () => {
  expect(page.links).toEqual([
    { target: 'concepts.md#unit', text: 'messages', line: 8 },
    { target: 'templates/blank.md', text: '`blank`', line: 18 },
    { target: 'test/x(1).ts', text: 'a test', line: 19 },
    { target: 'picture.png', text: '', line: 19 },
  ])
})
