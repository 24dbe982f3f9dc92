import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Environment } from '../environment.ts'

/** A backfill publishes thousands of units per second. */
const newPerSecond = 10
/** A gateway continues the traces of many connectors. */
const continuedPerSecond = 100

/**
 * That of `OTEL_TRACES_SAMPLER`. Default: at most 10 new traces per second, and 100 that other programs have begun.
 *
 * @param warn Called with a sentence if a variable has a value that is not allowed. The default is used then.
 */
export function samplerOf(variables: Environment['variables'], warn: (text: string) => void): Sampler {
  const name = variables.OTEL_TRACES_SAMPLER?.trim()
  const fallback = () =>
    new ParentBasedSampler({
      root: createRateSampler(newPerSecond),
      remoteParentSampled: createRateSampler(continuedPerSecond),
    })
  if (!name) return fallback()
  const roots: Readonly<Record<string, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratioOf(variables, warn)),
  }
  const [, isParentBased, rootName] = /^(parentbased_)?(.*)$/.exec(name)!
  const root = Object.hasOwn(roots, rootName!) ? roots[rootName!]!() : undefined
  if (root) return isParentBased ? new ParentBasedSampler({ root }) : root
  const allowed = Object.keys(roots).flatMap((each) => [each, `parentbased_${each}`])
  warn(`OTEL_TRACES_SAMPLER is "${name}"; allowed are ${allowed.join(', ')}. The default is used.`)
  return fallback()
}

function ratioOf({ OTEL_TRACES_SAMPLER_ARG: text }: Environment['variables'], warn: (text: string) => void): number {
  if (!text?.trim()) return 1
  const ratio = Number(text)
  if (ratio >= 0 && ratio <= 1) return ratio
  warn(`OTEL_TRACES_SAMPLER_ARG is "${text}"; a number from 0 to 1 is allowed. 1 is used.`)
  return 1
}

function createRateSampler(perSecond: number): Sampler {
  let available = perSecond
  let at = performance.now()
  return {
    shouldSample() {
      const now = performance.now()
      available = Math.min(perSecond, available + ((now - at) / 1000) * perSecond)
      at = now
      if (available < 1) return { decision: SamplingDecision.NOT_RECORD }
      available--
      return { decision: SamplingDecision.RECORD_AND_SAMPLED }
    },
    toString: () => `RateSampler{${perSecond}/s}`,
  }
}
