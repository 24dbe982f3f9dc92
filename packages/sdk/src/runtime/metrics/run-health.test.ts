import { expect, test } from 'vitest'
import type { EndpointHealth } from '../../source/fetch/endpoint-state.ts'
import { RunMeter } from './run-meter.ts'
import { runHealth } from './run-metrics.ts'

const never = new AbortController().signal

const endpoint = (state: EndpointHealth['state'], backOffs: number): EndpointHealth => ({
  ...{ name: 'https://node.example', state, backOffs, limit: 4, running: 0, answers: 0, latencyMs: undefined },
  failures: { overloaded: 0, unavailable: 0, wrong: 0, refused: 0 },
})

test.each<[EndpointHealth[], string]>([
  [[], 'running'],
  [[endpoint('backing_off', 1)], 'running'],
  [[endpoint('backing_off', 2)], 'retrying'],
  [[endpoint('serving', 2)], 'retrying'],
  [[endpoint('refused', 0), endpoint('backing_off', 5)], 'retrying'],
  [[endpoint('backing_off', 5), endpoint('serving', 0)], 'running'],
])('with endpoints %j a run is %s', (endpoints, state) => {
  const meter = { ...new RunMeter(), writerId: 'acme.chain.1_0_0/test', endpoints: () => endpoints }
  expect(runHealth(meter, never).state).toBe(state)
})
