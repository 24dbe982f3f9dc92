import { HeadraceError, UserError } from '@headrace/queue'
import { checkbox, input, select } from '@inquirer/prompts'
import type { Terminal } from '../scaffold-context.ts'

export interface Questions {
  text(question: TextQuestion): Promise<string>
  choice(question: ChoiceQuestion): Promise<string>
  /** One or more. The default is all. */
  choices(question: { readonly message: string; readonly choices: readonly string[] }): Promise<readonly string[]>
}

export interface TextQuestion {
  readonly message: string
  readonly default: string
  /** Throws a `UserError` if the answer is invalid. */
  check?(answer: string): unknown
}

export interface ChoiceQuestion {
  readonly message: string
  readonly choices: readonly { readonly value: string; readonly description: string }[]
  readonly default: string
}

export const noQuestions: Questions = {
  text: async (question) => question.default,
  choice: async (question) => question.default,
  choices: async (question) => question.choices,
}

/** Ctrl-C throws `scaffold_cancelled`. */
export function questionsOn(terminal: Terminal): Questions {
  return {
    text: ({ message, default: value, check }) =>
      answered(input({ message, default: value, validate: (answer) => validate(answer, check) }, terminal)),
    choice: ({ message, choices, default: value }) =>
      answered(
        select(
          {
            message,
            default: value,
            choices: choices.map((choice) => ({ ...choice, name: `${choice.value.padEnd(12)}${choice.description}` })),
          },
          terminal,
        ),
      ),
    choices: ({ message, choices }) =>
      answered(
        checkbox({ message, required: true, choices: choices.map((value) => ({ value, checked: true })) }, terminal),
      ),
  }
}

async function validate(answer: string, check: TextQuestion['check']): Promise<true | string> {
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
