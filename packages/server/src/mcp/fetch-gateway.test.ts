import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createFetchRequest } from './fetch-gateway.ts'
import { listTopics } from './tools/list-topics.ts'

const signal = new AbortController().signal

async function callOn(answer: RequestListener, path = ''): Promise<unknown> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const request = createFetchRequest({ url, key: 'hr_test_1', signal })
  return listTopics.call({}, { request, signal }).catch((error: Error) => error.message)
}

test('a path in the address of a gateway is kept, and the key is sent', async () => {
  const called = await callOn(({ url, headers }, response) => {
    const connector = { owner: url, package: headers.authorization }
    response.end(JSON.stringify({ topics: [{ topic: 'a', connector, message: 'b', partitions: 1 }] }))
  }, '/gateway/')
  expect(called).toMatchObject({
    topics: [{ connector: { owner: '/gateway/api/v1/topics', package: 'Bearer hr_test_1' } }],
  })
})

test('a key is not sent on to where an answer redirects', async () => {
  const called = await callOn((_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1' }).end())
  expect(called).toMatch(
    /^The gateway at http:\/\/127\.0\.0\.1:\d+ does not answer \(.*redirect.*\)\. Check that it runs/,
  )
})

test.each([
  ['text', 200, '<html>'],
  ['JSON', 500, '{"error":1}'],
  ['null', 200, 'null'],
  ['another object', 200, '{"status":"ok"}'],
])('an answer of %s that is not one of a gateway is reported', async (_, status, body) => {
  const called = await callOn((_request, response) => response.writeHead(status).end(body))
  expect(called).toBe(`The answer with status ${status} is not one of a Headrace gateway. Check the URL.`)
})
