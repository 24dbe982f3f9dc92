import { UserError } from '@headrace/queue'

/** A filter that is not in the language, or does not fit the messages of its topic. */
export class InvalidFilterError extends UserError {
  /** From 1, in UTF-16 code units from the beginning of the text. */
  readonly column: number

  constructor(column: number, problem: string) {
    super('invalid_filter', `The filter is invalid at column ${column}: ${problem}`)
    this.column = column
  }
}
