import type { Environment } from './environment.ts'

/**
 * Whether a package manager runs this command in a shell, as `npx` and a script of package.json do. A `kill` of the
 * package manager ends that shell, and this process gets no signal. With `&` in a script, the command may outlive the
 * shell.
 */
export function isInPackageScript(
  { npm_lifecycle_script: script = '' }: Environment['variables'],
  [subcommand]: readonly string[],
): boolean {
  if (script.replace(/&&|[<>]&|&>/g, '').includes('&')) return false
  // The script of npx is the command without its arguments.
  const commands = script.matchAll(/(?:^|[\s;|&/])['"]?(?:connector|headrace)['"]?(?:[ \t]+([\w-]+)|\s*$)/g)
  return [...commands].some(([, named]) => named === undefined || named === subcommand)
}
