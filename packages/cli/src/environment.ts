export interface Environment {
  readonly queue: string | undefined
  readonly kafkaConfig: string | undefined
  /** For a gateway. */
  readonly apiKey: string | undefined
  /** URLs with user and password. */
  readonly schemaRegistries: readonly string[]
  readonly webhookSecret: string | undefined
  readonly githubActions: boolean
  readonly githubWorkspace: string | undefined
  /** All variables. `CONNECTOR_<NAME>` is a setting. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function readEnvironment(variables: Environment['variables']): Environment {
  return {
    queue: variables.HEADRACE_QUEUE || undefined,
    kafkaConfig: variables.HEADRACE_KAFKA_CONFIG || undefined,
    apiKey: variables.HEADRACE_API_KEY || undefined,
    schemaRegistries: variables.HEADRACE_SCHEMA_REGISTRY?.split(/\s+/).filter(Boolean) ?? [],
    webhookSecret: variables.HEADRACE_WEBHOOK_SECRET || undefined,
    githubActions: variables.GITHUB_ACTIONS === 'true',
    githubWorkspace: variables.GITHUB_WORKSPACE || undefined,
    variables,
  }
}
