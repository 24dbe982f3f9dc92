import type { JsonSchema } from '@headrace/catalog'
import type { GatewayRequest } from './gateway-request.ts'
import { type ArgumentsOf, readArguments, type ToolParameter } from './tool-parameter.ts'

export interface ToolContext {
  readonly request: GatewayRequest
  readonly signal: AbortSignal
}

/** A function that a language model calls. It only reads. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** For a model: when to call it, and what it returns. */
  readonly description: string
  readonly parameters: Readonly<Record<string, ToolParameter>>
  readonly result: JsonSchema
  /** It contacts other systems than the gateway. */
  readonly isOpenWorld?: boolean
  /** @throws {ToolError} the text is the result. */
  call(given: Readonly<Record<string, unknown>>, context: ToolContext): Promise<Readonly<Record<string, unknown>>>
}

export interface ToolDefinition<Parameters extends Readonly<Record<string, ToolParameter>>>
  extends Omit<Tool, 'call' | 'parameters'> {
  readonly parameters: Parameters
  call(given: ArgumentsOf<Parameters>, context: ToolContext): Promise<Readonly<Record<string, unknown>>>
}

/** Checks the arguments before `call` gets them. */
export function defineTool<Parameters extends Readonly<Record<string, ToolParameter>>>(
  definition: ToolDefinition<Parameters>,
): Tool {
  const { name, parameters, call } = definition
  return { ...definition, call: (given, context) => call(readArguments(name, parameters, given), context) }
}
