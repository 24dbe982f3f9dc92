/** The environment variables of these tests. */
export const environment = {
  /** If it is set, tests that cannot run fail. */
  ci: Boolean(process.env.CI),
}
