import { parser } from '@prometheus-io/lezer-promql'

export interface ParsedExpression {
  readonly errors: readonly string[]
  readonly metrics: readonly string[]
  readonly labels: readonly string[]
}

/** The names in an expression of PromQL, as the editor of Prometheus parses it. */
export function parseExpression(expression: string): ParsedExpression {
  const found = { errors: [] as string[], metrics: [] as string[], labels: [] as string[] }
  parser.parse(expression).iterate({
    enter(node) {
      const text = expression.slice(node.from, node.to)
      if (node.type.isError) found.errors.push(`at ${node.from} of ${expression}`)
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') found.metrics.push(text)
      if (node.name === 'LabelName') found.labels.push(text)
    },
  })
  return found
}
