/** Everything this program takes from the environment. */
export const environment = {
  /** Where the gateway is. */
  url: required('HEADRACE_URL'),
  apiKey: required('HEADRACE_API_KEY'),
  topic: required('HEADRACE_TOPIC'),
  databaseUrl: required('DATABASE_URL'),
  /** The table that becomes the topic's mirror. */
  table: required('MIRROR_TABLE'),
}

function required(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`Set ${name}.`)
  return value
}
