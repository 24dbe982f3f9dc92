export const environment = {
  /** If it is set, tests that cannot run are an error. */
  ci: Boolean(process.env.CI),
}
