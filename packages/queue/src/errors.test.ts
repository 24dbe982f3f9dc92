import { expect, test } from 'vitest'
import * as errors from './errors.ts'

/** Another copy of this module, as in a second installation of the package. */
async function secondCopy(): Promise<typeof errors> {
  const path = './errors.ts?copy'
  return (await import(path)) as typeof errors
}

test('errors of another copy of this package are instances of the same classes', async () => {
  const copy = await secondCopy()
  expect(copy.UserError).not.toBe(errors.UserError)
  const mistake = new copy.UserError('a', '')
  expect(mistake).toBeInstanceOf(errors.UserError)
  expect(mistake).toBeInstanceOf(errors.HeadraceError)
  expect(mistake).not.toBeInstanceOf(errors.RetryableError)
  expect(mistake).not.toBeInstanceOf(errors.FencedError)
  const fenced = new copy.FencedError('a/main')
  expect(fenced).toBeInstanceOf(errors.FencedError)
  expect(fenced).toBeInstanceOf(errors.UserError)
  expect(new errors.TransactionTimedOutError('a/main')).toBeInstanceOf(copy.TransactionAbortedError)
})

test('a class derived from another copy is an instance of its base classes', async () => {
  const copy = await secondCopy()
  class SourceGone extends copy.RetryableError {}
  const gone = new SourceGone('gone', '')
  expect(gone).toBeInstanceOf(SourceGone)
  expect(gone).toBeInstanceOf(errors.RetryableError)
  expect(gone).not.toBeInstanceOf(errors.UserError)
})

test.each([[new Error('UserError')], [null], [undefined], ['UserError'], [{ name: 'UserError' }]])(
  '%j is not an instance of these classes',
  (value) => {
    expect(value instanceof errors.HeadraceError).toBe(false)
    expect(value instanceof errors.UserError).toBe(false)
  },
)
