import { DamagedBatchError } from '../../errors.ts'
import { isUnreadable } from '../storage/sqlite-error.ts'

export function attempt<T>(work: () => T): { readonly value?: T; readonly damage?: string } {
  try {
    return { value: work() }
  } catch (error) {
    if (error instanceof DamagedBatchError) return { damage: error.message }
    if (isUnreadable(error)) return { damage: 'Its pages in the file are inconsistent.' }
    throw error
  }
}
