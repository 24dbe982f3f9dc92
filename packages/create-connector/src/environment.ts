/** All environment variables; a package manager sets some of them. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
