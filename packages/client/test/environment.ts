/** Everything these tests take from the environment. */
export const environment = {
  /** Where it is set, tests that cannot run are an error. */
  ci: Boolean(process.env.CI),
}
