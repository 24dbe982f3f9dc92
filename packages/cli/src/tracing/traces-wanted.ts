import type { Environment } from '../environment.ts'

/** `problem` is a sentence about variables that ask for what this program cannot do. No traces are sent then. */
export type TracesWanted = { readonly wanted: boolean; readonly problem?: string }

/** By the variables of OpenTelemetry's specification. An empty one counts as unset. */
export function tracesWanted(variables: Environment['variables']): TracesWanted {
  if (variables.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return { wanted: false }
  const exporter = variables.OTEL_TRACES_EXPORTER?.trim()
  if (exporter === 'none') return { wanted: false }
  if (exporter && exporter !== 'otlp')
    return refuse(`OTEL_TRACES_EXPORTER is "${exporter}"; "otlp" and "none" are allowed.`)
  const isSet = exporter || endpointVariables.some((name) => variables[name]?.trim())
  if (!isSet) return { wanted: false }
  const name = protocolVariables.find((name) => variables[name]?.trim())
  const protocol = name && variables[name]!.trim()
  if (protocol && protocol !== 'http/protobuf')
    return refuse(`${name} is "${protocol}"; "http/protobuf" is allowed. Collectors listen for it on port 4318.`)
  return { wanted: true }
}

function refuse(problem: string): TracesWanted {
  return { wanted: false, problem: `${problem} No traces are sent.` }
}

const endpointVariables = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
const protocolVariables = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']
