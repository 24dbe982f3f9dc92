// Runs on Node 20.11 and newer.
import { parseArgs } from 'node:util'

/** If an argument is `--help`, prints the usage text and ends this process. */
export function printHelp(usage) {
  if (!process.argv.some((argument) => argument === '--help' || argument === '-h')) return
  console.log(usage.trim())
  process.exit()
}

/**
 * `parseArgs`, but a wrong argument ends this process.
 *
 * @template {import('node:util').ParseArgsConfig} T
 * @param {T} config
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function parseArguments(config) {
  try {
    return parseArgs(config)
  } catch (error) {
    return refuseArgument(error.message.split('. ')[0])
  }
}

/**
 * Prints what is wrong with an argument, and ends this process.
 *
 * @param {string} problem
 * @returns {never}
 */
export function refuseArgument(problem) {
  console.error(`${problem}. Run the command with --help to see its options.`)
  process.exit(2)
}
