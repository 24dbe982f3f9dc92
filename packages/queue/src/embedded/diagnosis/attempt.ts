import { DamagedBatchError } from '../../errors.ts'
import { isUnreadable } from '../storage/sqlite-error.ts'

/** Returns the value of `work`, or a description of the damage that it met. */
export function attempt<T>(work: () => T): { readonly value?: T; readonly damage?: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof DamagedBatchError) return { damage: error.message }
    if (isUnreadable(error)) return { damage: 'Its pages in the file are inconsistent.' }
    throw error
  }
}
