import { expect, test } from 'vitest'
import { placeInProject } from './relay-lines.ts'

test('the place of an error is the first one in the code of the connector', () => {
  const stack = `TypeError: x is not a function (file:///p/src/wrong.ts:1:1)
    at read (file:///p/node_modules/lib/index.js:3:4)
    at node:internal/x:1:2
    at Object.map (file:///p/src/a%20b/connector.ts:12:5)
    at file:///p/src/other.ts:1:1`
  expect(placeInProject(stack, '/p')).toBe('src/wrong.ts:1:1')
  expect(placeInProject(stack.slice(stack.indexOf('\n')), '/p')).toBe('src/a b/connector.ts:12:5')
  expect(placeInProject('Error: x\n    at f (/p/connector.js:2:3)', '/p')).toBe('connector.js:2:3')
  expect(placeInProject(stack, '/q')).toBeUndefined()
  expect(placeInProject(undefined, '/p')).toBeUndefined()
})
