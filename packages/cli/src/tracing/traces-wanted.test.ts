import { expect, test } from 'vitest'
import { tracesWanted } from './traces-wanted.ts'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }

test.each([
  ['an endpoint', endpoint],
  ['an endpoint for traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/v1/traces' }],
  ['the exporter otlp', { OTEL_TRACES_EXPORTER: 'otlp' }],
  ['the only protocol', { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }],
  ['OTEL_SDK_DISABLED with another value than true', { ...endpoint, OTEL_SDK_DISABLED: '1' }],
])('%s turns traces on', (_, variables) => {
  expect(tracesWanted(variables)).toEqual({ wanted: true })
})

test.each([
  ['no variable', {}],
  ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  ['a service name alone', { OTEL_SERVICE_NAME: 'rates' }],
  ['the exporter none, whatever the endpoint', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ['OTEL_SDK_DISABLED, whatever the endpoint', { ...endpoint, OTEL_SDK_DISABLED: 'True' }],
])('%s leaves traces off', (_, variables) => {
  expect(tracesWanted(variables)).toEqual({ wanted: false })
})

test.each([
  [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER is "zipkin"; "otlp" and "none" are allowed.'],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc"; "http/protobuf" is allowed. Collectors listen for it on port 4318.',
  ],
  [
    { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "http/json"; "http/protobuf" is allowed. Collectors listen for it on port 4318.',
  ],
])('%o leaves traces off, with a sentence about it', (variables, problem) => {
  expect(tracesWanted(variables)).toEqual({ wanted: false, problem: `${problem} No traces are sent.` })
})
