import { HeadraceError, UserError } from '@headrace/queue'
import { checkbox, input, select } from '@inquirer/prompts'
import type { Terminal } from '../scaffold-context.ts'

export interface Questions {
  text(message: string, fallback: string, check?: Check): Promise<string>
  choice(message: string, fallback: string, choices: readonly Choice[]): Promise<string>
  /** One or more. The default is all. */
  choices(message: string, choices: readonly string[]): Promise<readonly string[]>
}

/** Throws a `UserError` if the answer is invalid. */
type Check = (answer: string) => unknown

interface Choice {
  readonly value: string
  readonly description: string
}

export const noQuestions: Questions = {
  text: async (_, fallback) => fallback,
  choice: async (_, fallback) => fallback,
  choices: async (_, choices) => choices,
}

/** Ctrl-C throws `scaffold_cancelled`. */
export function questionsOn(terminal: Terminal): Questions {
  return {
    text: (message, fallback, check) =>
      answered(input({ message, default: fallback, validate: (answer) => validate(answer, check) }, terminal)),
    choice(message, fallback, choices) {
      const named = choices.map((choice) => ({ ...choice, name: `${choice.value.padEnd(12)}${choice.description}` }))
      return answered(select({ message, default: fallback, choices: named }, terminal))
    },
    choices(message, choices) {
      const checked = choices.map((value) => ({ value, checked: true }))
      return answered(checkbox({ message, required: true, choices: checked }, terminal))
    },
  }
}

async function validate(answer: string, check: Check | undefined): Promise<true | string> {
  try {
    await check?.(answer)
    return true
  } catch (error) {
    if (error instanceof HeadraceError) return error.message
    throw error
  }
}

async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if ((error as Error).name !== 'ExitPromptError') throw error
    throw new UserError('scaffold_cancelled', 'A question was not answered. Nothing was written.', { cause: error })
  }
}
