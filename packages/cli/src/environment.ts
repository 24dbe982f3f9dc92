export interface Environment {
  /** `HEADRACE_QUEUE`: URL of the queue if `--queue` is not given. */
  readonly queue: string | undefined
  /** `HEADRACE_KAFKA_CONFIG`: path of a Kafka `client.properties` file. */
  readonly kafkaConfig: string | undefined
  /** `GITHUB_ACTIONS`: problems are also printed as annotations. */
  readonly githubActions: boolean
  /** `GITHUB_WORKSPACE`: file names in annotations are relative to this folder. */
  readonly githubWorkspace: string | undefined
  /** All variables. `CONNECTOR_<NAME>` is a setting. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function readEnvironment(variables: Environment['variables']): Environment {
  return {
    queue: variables.HEADRACE_QUEUE || undefined,
    kafkaConfig: variables.HEADRACE_KAFKA_CONFIG || undefined,
    githubActions: variables.GITHUB_ACTIONS === 'true',
    githubWorkspace: variables.GITHUB_WORKSPACE || undefined,
    variables,
  }
}
