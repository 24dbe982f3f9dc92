import { expect, test } from 'vitest'
import { servesExplorer } from './serving-options.ts'

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
  ['127.example.com', false],
  ['localhost.example.com', false],
  ['', false],
])('a gateway at "%s" has the explorer by default: %s', (host, isOn) => {
  expect(servesExplorer({ host })).toBe(isOn)
  expect([true, false].map((explorer) => servesExplorer({ host, explorer }))).toEqual([true, false])
})
