import { homedir } from 'node:os'
import { join } from 'node:path'

/** Everything these scripts take from the environment. */
export const environment = {
  /** `host:port` of a broker that is already there, to be used instead of starting one. */
  testKafka: process.env.HEADRACE_TEST_KAFKA || undefined,
  /** Where it is set, tests that cannot run are an error. */
  ci: Boolean(process.env.CI),
  /** Survives `git clean` and a fresh clone. */
  cacheFolder: join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'headrace'),
}
