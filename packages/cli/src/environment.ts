/** Everything the command takes from its environment. */
export interface Environment {
  /** `HEADRACE_KAFKA_CONFIG`: path of a Kafka `client.properties` file. */
  readonly kafkaConfig: string | undefined
  /** Where GitHub runs the command, problems are also given as annotations. */
  readonly githubActions: boolean
  /** `GITHUB_WORKSPACE`: the folder under which annotations name files. */
  readonly githubWorkspace: string | undefined
  /** All variables, in which settings are looked up as `CONNECTOR_<NAME>`. */
  readonly variables: Readonly<Record<string, string | undefined>>
}

export function readEnvironment(): Environment {
  return {
    kafkaConfig: process.env.HEADRACE_KAFKA_CONFIG || undefined,
    githubActions: process.env.GITHUB_ACTIONS === 'true',
    githubWorkspace: process.env.GITHUB_WORKSPACE || undefined,
    variables: process.env,
  }
}
