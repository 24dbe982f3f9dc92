import type { GatewayAnswer } from './gateway-request.ts'

/** A mistake of the caller, or a refusal, as the result of a tool: a model reads what to change. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}

interface Problem {
  readonly code?: unknown
  readonly detail?: unknown
  readonly [member: string]: unknown
}

/** From a problem document (RFC 9457). */
export function refusedByGateway({ status, body }: GatewayAnswer): ToolError {
  const { type, title, status: _, code, detail, ...members } = (typeof body === 'object' && body ? body : {}) as Problem
  if (typeof code !== 'string' || typeof detail !== 'string')
    return new ToolError(`The answer with status ${status} is not one of a Headrace gateway. Check the URL.`)
  const more = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return new ToolError([`${code} (${status}): ${detail}${nextStep(code)}`, ...more].join('\n'))
}

function nextStep(code: string): string {
  return nextSteps[code] ?? ''
}

const nextSteps: Readonly<Record<string, string>> = {
  topic_not_found: ' The tool list_topics lists the topics.',
  topic_forbidden: ' The tool list_topics lists the topics of this key.',
  invalid_filter: ' The tool describe_topic lists the fields.',
  position_unavailable: ' Use the value of "earliest" as the cursor of read_records, with the order asc.',
  path_not_found: ' The gateway is of a version that does not have this.',
}
