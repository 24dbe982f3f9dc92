import { UserError } from '@headrace/queue'

export function invalidSettings(mistakes: readonly string[], options?: ErrorOptions): UserError {
  return new UserError(
    'invalid_settings',
    `The settings are not right:\n${mistakes.map((one) => `  - ${one}`).join('\n')}`,
    options,
  )
}
