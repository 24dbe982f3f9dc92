import { expect, test } from 'vitest'
import { checkName, checkOwner, defaultOwner, manifestPackage, nearestName } from './names.ts'

test.each(['quotes', '@acme/quotes', 'my-connector', 'a.b', 'x'.repeat(214)])('%s is a name', (name) => {
  expect(checkName(name)).toBe(name)
})

test.each([
  ['My Demo', 'my-demo'],
  ['', 'my-connector'],
  ['.hidden', 'hidden'],
  ['_x', 'x'],
  ['node_modules', 'my-connector'],
  ['http', 'my-connector'],
  ['Kurse für alle', 'kurse-f-r-alle'],
  ['x'.repeat(215), 'my-connector'],
])('%j is none, and the refusal says which one is near', (name, near) => {
  expect(nearestName(name)).toBe(near)
  expect(checkName(near)).toBe(near)
  expect(() => checkName(name)).toThrow(
    expect.objectContaining({ code: 'invalid_name', message: expect.stringContaining(`"${near}"`) }),
  )
})

test.each([
  ['quotes', 'quotes', 'local'],
  ['@acme/quotes', 'quotes', 'acme'],
  ['@my.org/2.quotes', 'quotes', 'my-org'],
  ['@1/404', 'connector', 'local'],
  ['a.b_c-d', 'a-b_c-d', 'local'],
])('%s has the manifest package %s and the owner %s', (name, packageName, owner) => {
  expect(manifestPackage(name)).toBe(packageName)
  expect(defaultOwner(name)).toBe(owner)
})

test.each(['', 'Acme', '1st', 'a.b', 'ä'])('%j is no owner', (owner) => {
  expect(() => checkOwner(owner)).toThrow(expect.objectContaining({ code: 'invalid_owner' }))
})
