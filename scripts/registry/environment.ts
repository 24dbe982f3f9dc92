import { delimiter } from 'node:path'

/** Everything these scripts take from the environment. */
export const environment = {
  /** Where it is set, what cannot run is an error. */
  ci: Boolean(process.env.CI),
  /** The variables of this process without what npm and the repository's own programs put among them. */
  outside: outside(process.env),
}

function outside(variables: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(variables).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|INIT_CWD$|CI$|VITEST|NODE_ENV$)/i.test(name),
  )
  const path = variables.PATH?.split(delimiter).filter((folder) => !/node_modules/.test(folder))
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path?.join(delimiter) ?? '' }
}
