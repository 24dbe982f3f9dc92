import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fromBinary } from '@bufbuild/protobuf'
import { compileProtos } from '@headrace/catalog'

export type Attributes = Readonly<Record<string, string | number | boolean>>

export interface ReceivedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  /** Empty: it is a root. */
  readonly parentSpanId: string
  /** 1 internal, 4 producer, 5 consumer. */
  readonly kind: number
  readonly durationMs: number
  readonly attributes: Attributes
  readonly failure: string | undefined
  /** Attributes of the program that sent it. */
  readonly resource: Attributes
}

export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string
  readonly spans: readonly ReceivedSpan[]
  readonly requests: readonly { readonly path: string | undefined; readonly headers: IncomingHttpHeaders }[]
}

/** Receives spans as a collector does: OTLP over HTTP, as protobuf. */
export async function startOtlpReceiver(
  answer: (response: ServerResponse) => void = (response) => response.end(),
): Promise<OtlpReceiver> {
  const { schema } = await compileProtos([join(import.meta.dirname, 'trace.proto')])
  const form = schema!.message('otlp.ExportTraceServiceRequest')!
  const spans: ReceivedSpan[] = []
  const requests: { path: string | undefined; headers: IncomingHttpHeaders }[] = []
  const server = createServer(async (request, response) => {
    requests.push({ path: request.url, headers: request.headers })
    const { resourceSpans } = fromBinary(form, await buffer(request)) as unknown as ExportRequest
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        spans.push(receivedSpan(span, valuesOf(resource.attributes)))
    answer(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

interface OtlpSpan {
  readonly name: string
  readonly traceId: Uint8Array
  readonly spanId: Uint8Array
  readonly parentSpanId: Uint8Array
  readonly kind: number
  readonly startTimeUnixNano: bigint
  readonly endTimeUnixNano: bigint
  readonly attributes: readonly KeyValue[]
  readonly status?: { readonly code: number; readonly message: string }
}

interface KeyValue {
  readonly key: string
  readonly value: { readonly value: { readonly value: string | bigint | number | boolean } }
}

function receivedSpan(span: OtlpSpan, resource: Attributes): ReceivedSpan {
  const { name, kind, startTimeUnixNano, endTimeUnixNano, status } = span
  return {
    ...{ name, kind, resource, attributes: valuesOf(span.attributes) },
    ...{ traceId: hex(span.traceId), spanId: hex(span.spanId), parentSpanId: hex(span.parentSpanId) },
    durationMs: Number(endTimeUnixNano - startTimeUnixNano) / 1e6,
    failure: status?.code === 2 ? status.message : undefined,
  }
}

function valuesOf(attributes: readonly KeyValue[]): Attributes {
  return Object.fromEntries(
    attributes.map(({ key, value: { value } }) => [
      key,
      typeof value.value === 'bigint' ? Number(value.value) : value.value,
    ]),
  )
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
