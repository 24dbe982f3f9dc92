export interface Environment {
  /** URL of the gateway. */
  readonly url: string
  readonly apiKey: string
  readonly topic: string
  readonly databaseUrl: string
  readonly table: string
}

export function readEnvironment(): Environment {
  return {
    url: required('HEADRACE_URL'),
    apiKey: required('HEADRACE_API_KEY'),
    topic: required('HEADRACE_TOPIC'),
    databaseUrl: required('DATABASE_URL'),
    table: required('MIRROR_TABLE'),
  }
}

function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}.`)
  return value
}
