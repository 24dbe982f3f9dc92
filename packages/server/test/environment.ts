/** The environment variables of these tests. */
export const environment = {
  /** If it is set, tests that cannot run fail. */
  ci: Boolean(process.env.CI),
  /** How many walks through pages are compared in their codings. */
  comparedPages: Number(process.env.HEADRACE_COMPARED_PAGES || 100),
}
