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

/** For a message: not longer than a line. */
export function excerpt(text: string): string {
  return text.length <= excerptLimit ? text : `${text.slice(0, excerptLimit).toWellFormed()}…`
}

const excerptLimit = 60

/** For a message. */
export function listNames(names: readonly string[]): string {
  const others = names.length - listLimit
  return others <= 0 ? names.join(', ') : `${names.slice(0, listLimit).join(', ')} and ${others} others`
}

const listLimit = 50
