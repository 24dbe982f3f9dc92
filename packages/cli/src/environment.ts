/** Everything the command takes from its environment. */
export interface Environment {
  /** `HEADRACE_QUEUE`: URL of the queue, where `--queue` is not given. */
  readonly queue: string | undefined
  /** `HEADRACE_KAFKA_CONFIG`: path of a Kafka `client.properties` file. */
  readonly kafkaConfig: string | undefined
  /** Where GitHub runs the command, problems are also given as annotations. */
  readonly githubActions: boolean
  /** `GITHUB_WORKSPACE`: the folder under which annotations name files. */
  readonly githubWorkspace: string | undefined
  /** All variables, in which settings are looked up as `CONNECTOR_<NAME>`. */
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
