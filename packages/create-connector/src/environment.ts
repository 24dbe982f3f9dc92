export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
