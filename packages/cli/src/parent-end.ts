import type { Environment } from './environment.ts'

/** Between two looks, in ms. */
const lookMs = 500

/**
 * Whether a package manager runs this command in a shell of its own, as `npx connector serve` and a script of
 * package.json do. What a `kill` of the package manager ends is then that shell, and no signal comes here.
 *
 * Not where the script puts a command into the background with `&`, which may outlive the shell on purpose, nor where
 * something else that it runs has started this command.
 */
export function isInPackageScript(
  { npm_lifecycle_script: script = '' }: Environment['variables'],
  [subcommand]: readonly string[],
): boolean {
  if (script.replace(/&&|[<>]&|&>/g, '').includes('&')) return false
  // npx leaves out the arguments: 'connector'
  const commands = script.matchAll(/(?:^|[\s;|&/])['"]?(?:connector|headrace)['"]?(?:[ \t]+([\w-]+)|\s*$)/g)
  return [...commands].some(([, named]) => named === undefined || named === subcommand)
}

/** Calls `onEnd` once when the process that started this one has ended. Returns what gives that up. */
export function watchParentEnd(parent: number, onEnd: () => void): () => void {
  const timer = setInterval(() => {
    // An orphan gets another parent.
    if (process.ppid === parent) return
    clearInterval(timer)
    onEnd()
  }, lookMs)
  timer.unref()
  return () => clearInterval(timer)
}
