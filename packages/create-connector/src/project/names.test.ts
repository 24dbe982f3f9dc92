import { expect, test } from 'vitest'
import { checkName, checkOwner, defaultOwner, manifestPackage, nearestName, ownerOf } from './names.ts'

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
])('%j is refused with a similar valid name', (name, near) => {
  expect(nearestName(name)).toBe(near)
  expect(checkName(near)).toBe(near)
  expect(() => checkName(name)).toThrow(
    expect.objectContaining({ code: 'invalid_name', message: expect.stringContaining(`"${near}"`) }),
  )
})

test.each([
  ['quotes', 'quotes'],
  ['@acme/quotes', 'quotes'],
  ['@my.org/2.quotes', 'quotes'],
  ['@1/404', 'connector'],
  ['true', 'connector'],
  ['a.b_c-d', 'a-b_c-d'],
])('%s has the manifest package %s', (name, packageName) => {
  expect(manifestPackage(name)).toBe(packageName)
})

test('the owner of a package with a scope is the scope', async () => {
  expect(await defaultOwner('@acme/quotes')).toBe('acme')
  expect(await defaultOwner('@my.org/quotes')).toBe('my-org')
})

test.each([
  ['Ada Lovelace\n', 'ada-lovelace'],
  ['María José (home)', 'maria-jose-home'],
  ['1st_user', 'st_user'],
  ['水', undefined],
  ['null', undefined],
  ['', undefined],
])('the user %j is the owner %s', (user, owner) => {
  expect(ownerOf(user)).toBe(owner)
})

test.each(['acme', 'Acme', 'A1_b-C'])('%s is an owner', (owner) => {
  expect(checkOwner(owner)).toBe(owner)
})

test('a refused owner is shown with a similar valid one', () => {
  expect(() => checkOwner('Acme Inc.')).toThrow(
    expect.objectContaining({ message: expect.stringContaining('"acme-inc"') }),
  )
})

test.each(['', 'True', '1st', 'a.b', 'ä'])('%j is not an owner', (owner) => {
  expect(() => checkOwner(owner)).toThrow(expect.objectContaining({ code: 'invalid_owner' }))
})
