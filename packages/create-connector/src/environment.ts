/** All variables of the environment, as the package manager that started this has set them. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
