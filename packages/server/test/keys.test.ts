import { encode } from 'node:querystring'
import { systemTopics } from '@headrace/catalog'
import { createKey, findKey, listKeys, revokeKey, rotateKey, updateKey } from '@headrace/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKey } from '../src/access/keys/key-format.ts'
import { openEvents } from './clients/event-stream.ts'
import { connect } from './clients/json-rpc-client.ts'
import { orders, returns, type ServedShop, serveShop } from './shop/served-shop.ts'

let shop: ServedShop
beforeAll(async () => {
  shop = await serveShop()
  await shop.publish(orders, 3)
})
afterAll(() => shop[Symbol.asyncDispose]())

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const path = `/api/v1/data/${orders}`
const statusOf = async (key: string) => (await shop.get(path, bearer(key))).status

async function find(id: string) {
  return (await listKeys(shop.queue)).find((key) => key.id === id)
}

describe('keys', () => {
  test('are listed with their rights and state, and without their hash', async () => {
    const options = { name: 'website', topics: ['acme.*'], origins: ['https://example.org'], requireOrigin: true }
    const used = await shop.addKey({ ...options, rate: 5, burst: 6, connections: 7 })
    const revoked = await shop.addKey()
    await revokeKey(shop.queue, revoked.id)
    const expired = await shop.addKey({ expires: new Date(Date.now() + 86_400_000) })
    await shop.changeKey(expired.id, { expires: '2020-01-01T00:00:00.000Z' })
    expect(await find(used.id)).toEqual({
      ...options,
      ...{ id: used.id, environment: 'development', rate: 5, burst: 6, connections: 7, state: 'usable' },
      created: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await find(revoked.id)).toMatchObject({ state: 'revoked', revoked: expect.any(String) })
    expect(await find(expired.id)).toMatchObject({ state: 'expired' })
    const listed = await listKeys(shop.queue)
    expect(listed.map(({ id }) => id)).toContain(shop.keyId)
    expect(listed.map(({ created }) => created)).toEqual(listed.map(({ created }) => created).sort())
    expect(JSON.stringify(listed)).not.toContain('hash')
  })

  test('are not stored in the queue', async () => {
    const { key, id } = await shop.addKey()
    await rotateKey(shop.queue, id)
    const { batches } = await shop.queue.read(
      { topic: systemTopics.keys, partition: 0, offset: 0n },
      { maxBytes: 1 << 24 },
    )
    const values = batches.flatMap((batch) => [...batch.records()].map(({ value }) => Buffer.from(value!).toString()))
    expect(values.some((value) => value.includes(id))).toBe(true)
    for (const value of values) expect(value).not.toContain(key.slice(8))
  })

  test.each([
    ['nothing', ''],
    ['a text without a prefix', 'key'],
    ['a prefix', 'hr_test_'],
    ['a key of another kind', 'sk_test_4eC39HqLyjWDarjtT1zdp7dc'],
    ['a key that is too short', generateKey('development').slice(0, -1)],
    ['a key that is too long', `${generateKey('development')}0`],
    ['a key with a wrong checksum', generateKey('development').replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    ['a key with two characters exchanged', exchangeTwo(generateKey('development'))],
    ['a key that was never created', generateKey('development')],
    ['a key in upper case', generateKey('development').toUpperCase()],
    ['a very long text', 'hr_test_'.padEnd(6000, 'a')],
    ['a JSON web token', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
    ['an SQL injection', "' or '1'='1"],
    ['control characters', 'hr_test_\u0001\u0002\u007f'],
    ['letters that are not ASCII', 'hr_test_ключ'],
  ])('%s is not a key, in the header and in the query', async (_, text) => {
    const inQuery = await shop.get(`${path}?${encode({ api_key: text })}`, {})
    const invalid = text.includes('.') ? 'invalid_token' : 'invalid_key'
    expect([inQuery.status, await inQuery.json()]).toMatchObject([401, { code: invalid }])
    if (!/^[\x21-\x7e]+$/.test(text)) return
    const inHeader = await shop.get(path, bearer(text))
    const code = /^[A-Za-z0-9._~+/-]+=*$/.test(text) ? invalid : 'malformed_authorization'
    expect([inHeader.status, await inHeader.json()]).toMatchObject([401, { code }])
  })
})

describe('a key that is rotated', () => {
  test('is valid until its grace ends, and the new one has its rights', async () => {
    const rights = { topics: [orders], origins: ['https://a.example.org'], rate: 50, burst: 60, connections: 7 }
    const old = await shop.addKey({ name: 'mobile', ...rights })
    const made = await rotateKey(shop.queue, old.id, { graceMs: 3_600_000 })
    await expect.poll(() => statusOf(made.key)).toBe(200)
    expect(await statusOf(old.key)).toBe(200)
    expect(await find(made.id)).toMatchObject({ name: 'mobile', environment: 'development', ...rights })
    const end = Date.parse((await find(old.id))!.expires!)
    expect(Math.abs(end - Date.now() - 3_600_000)).toBeLessThan(60_000)
    expect((await shop.get(`/api/v1/data/${returns}`, bearer(made.key))).status).toBe(403)
  })

  test('loses its live connections when its grace ends, and those of the new one stay', async () => {
    const old = await shop.addKey()
    using before = await connect(`${shop.url}/ws/v1`, bearer(old.key))
    using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders}`, bearer(old.key))
    const made = await rotateKey(shop.queue, old.id, { graceMs: 1500 })
    await expect.poll(() => statusOf(made.key)).toBe(200)
    using after = await connect(`${shop.url}/ws/v1`, bearer(made.key))
    expect((await before.call('ping')).result).toBe('pong')
    expect(await before.closed).toMatchObject({ code: 4401 })
    expect((await stream.readToEnd()).at(-1)).toMatchObject({ event: 'stream_error', data: { code: 'key_revoked' } })
    expect(await statusOf(old.key)).toBe(401)
    expect((await after.call('ping')).result).toBe('pong')
  })

  test('is revoked at once without a grace', async () => {
    const old = await shop.addKey()
    using client = await connect(`${shop.url}/ws/v1`, bearer(old.key))
    const made = await rotateKey(shop.queue, old.id, { graceMs: 0 })
    expect(await client.closed).toMatchObject({ code: 4401 })
    expect([await statusOf(old.key), await statusOf(made.key)]).toEqual([401, 200])
    expect(await find(old.id)).toMatchObject({ state: 'revoked' })
  })

  test('keeps its expiry, and the new one has the same unless another is given', async () => {
    const expires = new Date(Date.now() + 60_000)
    const old = await shop.addKey({ expires })
    const made = await rotateKey(shop.queue, old.id, { graceMs: 3_600_000 })
    expect([await find(old.id), await find(made.id)]).toMatchObject([
      { expires: expires.toISOString() },
      { expires: expires.toISOString() },
    ])
    const later = new Date(Date.now() + 86_400_000)
    const next = await rotateKey(shop.queue, made.id, { expires: later })
    expect(await find(next.id)).toMatchObject({ expires: later.toISOString() })
  })

  test('cannot be rotated again, but the new one can, and does not expire with the grace of the first', async () => {
    const first = await shop.addKey()
    const second = await rotateKey(shop.queue, first.id, { graceMs: 3_600_000 })
    expect(await find(first.id)).toMatchObject({ state: 'usable', replacedBy: second.id })
    await expect(rotateKey(shop.queue, first.id)).rejects.toMatchObject({
      code: 'key_not_usable',
      message: expect.stringContaining(`"${second.id}"`),
    })
    const third = await rotateKey(shop.queue, second.id)
    const made = await find(third.id)
    expect(made).toMatchObject({ state: 'usable' })
    expect([made?.expires, made?.replacedBy]).toEqual([undefined, undefined])
  })

  test('and revoked at the same time stays revoked', async () => {
    const { key, id } = await shop.addKey()
    let revoking: Promise<void> | undefined
    const queue: typeof shop.queue = {
      ...shop.queue,
      async append(records) {
        revoking ??= revokeKey(shop.queue, id)
        await revoking
        return shop.queue.append(records)
      },
    }
    const made = await rotateKey(queue, id, { graceMs: 3_600_000 })
    expect([await find(id), await find(made.id)]).toMatchObject([{ state: 'revoked' }, { state: 'usable' }])
    await expect.poll(() => statusOf(key)).toBe(401)
  })

  test('must exist and be usable', async () => {
    const { id } = await shop.addKey()
    await revokeKey(shop.queue, id)
    await expect(rotateKey(shop.queue, id)).rejects.toMatchObject({ code: 'key_not_usable' })
    await expect(rotateKey(shop.queue, 'nobody')).rejects.toMatchObject({ code: 'unknown_key' })
    await expect(revokeKey(shop.queue, 'nobody')).rejects.toMatchObject({ code: 'unknown_key' })
    for (const options of [{ graceMs: -1 }, { graceMs: Number.NaN }, { expires: new Date('x') }])
      await expect(rotateKey(shop.queue, shop.keyId, options)).rejects.toMatchObject({ code: 'invalid_key_options' })
  })
})

describe('a key that is changed', () => {
  test('keeps its other members, and loses those that are removed', async () => {
    const { id } = await shop.addKey({ name: 'old', rate: 5, burst: 6, contact: 'Ann', quota: { bytes: 7 } })
    const before = await findKey(shop.queue, id)
    const changed = await updateKey(shop.queue, id, { name: 'new', rate: 50, burst: null, contact: null, quota: null })
    const { burst, contact, quota, ...kept } = before
    expect(changed).toEqual({ ...kept, name: 'new', rate: 50 })
    expect(await findKey(shop.queue, id)).toEqual(changed)
    const expires = new Date(Date.now() - 1000)
    expect(await updateKey(shop.queue, id, { expires })).toMatchObject({ state: 'expired' })
    expect(await updateKey(shop.queue, id, { expires: null })).toEqual(changed)
  })

  test('keeps the changes of others at the same time, and stays revoked', async () => {
    const { key, id } = await shop.addKey()
    const changes = { name: 'new', topics: [returns], rate: 301, burst: 302, connections: 303, contact: 'Bob' }
    const updating = Object.entries(changes).map(([name, value]) => updateKey(shop.queue, id, { [name]: value }))
    await Promise.all([...updating.slice(0, 3), revokeKey(shop.queue, id), ...updating.slice(3)])
    expect(await findKey(shop.queue, id)).toMatchObject({ ...changes, state: 'revoked' })
    await expect.poll(() => statusOf(key)).toBe(401)
    await expect(updateKey(shop.queue, id, { rate: 1 })).rejects.toMatchObject({ code: 'key_not_usable' })
  })

  test.each([
    [{ name: '' }, '1 to 100'],
    [{ contact: 'a\nb' }, 'U+000A'],
    [{ contact: 'x'.repeat(201) }, '1 to 200'],
    [{ topics: [] }, 'at least one topic pattern'],
    [{ origins: ['example.org'] }, 'cannot be registered'],
    [{ rate: 0 }, 'rate is 0'],
    [{ connections: 1.5 }, 'connections is 1.5'],
    [{ quota: {} }, 'at least one of requests, records, bytes'],
    [{ quota: { bytes: 0 } }, 'The quota of bytes is 0'],
    [{ quota: { speed: 1 } as object }, 'no quota of "speed"'],
    [{ expires: new Date('x') }, 'not a valid date'],
  ])('cannot become %j', async (change, message) => {
    await expect(updateKey(shop.queue, shop.keyId, change)).rejects.toMatchObject({
      code: 'invalid_key_options',
      message: expect.stringContaining(message),
    })
  })
})

describe('a key that cannot be shown', () => {
  const show = () => Promise.reject(new Error('the output is closed'))

  test('is not created', async () => {
    const before = await listKeys(shop.queue)
    const options = { name: 'x', environment: 'development', show } as const
    await expect(createKey(shop.queue, options)).rejects.toThrow('the output is closed')
    expect(await listKeys(shop.queue)).toEqual(before)
  })

  test('does not replace another one', async () => {
    const { id } = await shop.addKey()
    const before = await listKeys(shop.queue)
    await expect(rotateKey(shop.queue, id, { show })).rejects.toThrow('the output is closed')
    expect(await listKeys(shop.queue)).toEqual(before)
  })
})

test.each([
  ['nothing', ''],
  ['spaces', '   '],
  ['more than 100 characters', 'x'.repeat(101)],
  ['a line break', 'web\nsite'],
  ['a tab', 'web\tsite'],
  ['an escape sequence', '\u001b[31mwebsite'],
  ['an escape sequence of one character', '\u009b31mwebsite'],
  ['a line separator', 'web\u2028site'],
  ['a change of direction', 'web\u202esite'],
  ['a zero byte', 'web\0site'],
])('a name with %s is refused', async (_, name) => {
  const error = await createKey(shop.queue, { name, environment: 'development' }).catch((error: Error) => error)
  expect(error).toMatchObject({ code: 'invalid_key_options', message: expect.stringContaining('1 to 100') })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters must not be shown
  expect((error as Error).message).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028\u202e]/)
})

test.each(['website', 'Größe 東京 🌍', "O'Neill & <sons>"])('%s is a name', async (name) => {
  const { id } = await createKey(shop.queue, { name, environment: 'development' })
  expect(await find(id)).toMatchObject({ name })
})

describe('every gateway', () => {
  test('notices a key that is created, changed and revoked, and closes its connections', async () => {
    const other = await shop.startAnother()
    const urls = [shop.url, other.url]
    const { key, id } = await shop.addKey()
    const statuses = () =>
      Promise.all(urls.map(async (url) => (await fetch(url + path, { headers: bearer(key) })).status))
    await expect.poll(statuses).toEqual([200, 200])
    const clients = await Promise.all(urls.map((url) => connect(`${url}/ws/v1`, bearer(key))))
    const policies = () =>
      Promise.all(
        urls.map(async (url) => (await fetch(url + path, { headers: bearer(key) })).headers.get('ratelimit-policy')),
      )
    await updateKey(shop.queue, id, { rate: 7, burst: 70 })
    await expect.poll(policies).toEqual(['"key";q=70;w=10', '"key";q=70;w=10'])
    await revokeKey(shop.queue, id)
    for (const client of clients) expect(await client.closed).toMatchObject({ code: 4401 })
    expect(await statuses()).toEqual([401, 401])
    await other.close()
  })

  test('ends only the streams that a key may no longer read', async () => {
    const { key, id } = await shop.addKey()
    using lost = await connect(`${shop.url}/ws/v1`, bearer(key))
    using kept = await connect(`${shop.url}/ws/v1`, bearer(key))
    using stream = await openEvents(`${shop.url}/sse/v1?topics=${orders},${returns}`, bearer(key))
    await lost.call('subscribe', { topics: [orders, returns] })
    await kept.call('subscribe', { topics: [returns] })
    await updateKey(shop.queue, id, { topics: [returns], connections: 1 })
    expect(await lost.closed).toMatchObject({ code: 4403 })
    expect((await stream.readToEnd()).at(-1)).toMatchObject({
      event: 'stream_error',
      data: { code: 'permission_lost' },
    })
    expect((await kept.call('ping')).result).toBe('pong')
    expect((await kept.call('subscribe', { topics: [orders] })).error!.data!.code).toBe('topic_forbidden')
  })

  test('applies the current limits of a key', async () => {
    const { key, id } = await shop.addKey({ rate: 1000, burst: 1000 })
    expect(await statusOf(key)).toBe(200)
    await shop.changeKey(id, { rate: 1, burst: 1 })
    await expect.poll(() => statusOf(key), { interval: 10 }).toBe(429)
  })
})

function exchangeTwo(key: string): string {
  const [, first, second] = [...key.matchAll(/(?<=_.{5})(.)(?!\1)(.)/g)][0]!
  return key.replace(`${first}${second}`, `${second}${first}`)
}
