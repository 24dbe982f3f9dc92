import { UserError } from '@headrace/queue'
import type { CreatedKey, ShowKey } from '@headrace/server'
import type { CommandContext } from '../command-context.ts'
import { printResult } from './result.ts'

/** Prints a key before it is stored, so that no key is stored that nobody has seen. */
export async function showKey(
  make: (show: ShowKey) => Promise<CreatedKey>,
  { output, note, warn }: CommandContext,
  options: { readonly json?: true },
): Promise<void> {
  let printed: string | undefined
  const show: ShowKey = async ({ id, key }) => {
    const result = { json: () => [{ id, key }], text: () => `${key}\n` }
    await printResult(result, options, output).catch((cause: Error) => {
      throw new UserError('output_failed', `${cause.message} No key was created.`, { cause })
    })
    printed = id
  }
  try {
    const { id } = await make(show)
    if (!options.json) note(`Keep the key safe: it is not shown again. Its id is ${id}.`)
  } catch (error) {
    if (printed !== undefined)
      warn(`The key that was printed may not have been stored. "connector keys list" shows it as ${printed} if it was.`)
    throw error
  }
}
