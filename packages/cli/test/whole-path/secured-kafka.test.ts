import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { type Chain, startChain } from '../../../testbed/chain/chain.ts'
import { type Grant, openAccessControl } from '../../../testbed/kafka/security/access-control.ts'
import { type SecuredKafka, startSecuredKafka } from '../../../testbed/kafka/security/start-secured-kafka.ts'
import { listedPermissions } from '../../../testbed/reference/listed-permissions.ts'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { type ConnectorProcess, connector, startConnector } from './connector-process.ts'

const topic = 'headrace.evm.1_0_0.ethereum_Block'

describe.skipIf(inject('kafka') === null)('a Kafka with TLS, SCRAM and an authorizer', () => {
  let chain: Chain
  let secured: SecuredKafka

  beforeAll(async () => {
    chain = await startChain()
    await chain.mine(20)
    const names = ['connector', 'gateway', 'keys', 'operator', 'reader', 'lister', 'watcher']
    const users = Object.fromEntries(names.map((name) => [name, `${name}-secret`]))
    const started = await startSecuredKafka({ users })
    if ('unavailable' in started) throw new Error(started.unavailable)
    secured = started
    const page = readReferencePage('kafka.md')
    await grant('User:connector', listedPermissions(page, 'connector'))
    await grant('User:gateway', listedPermissions(page, 'gateway'))
    await grant('User:keys', listedPermissions(page, 'connector keys create'))
    const operating = ['connector keys list', 'connector keys rotate, revoke', 'connector keys usage']
    await grant(
      'User:operator',
      operating.flatMap((who) => listedPermissions(page, who)),
    )
    await grant('User:reader', [...listedPermissions(page, 'connector read, tail'), { operation: 'READ', topic }])
    const listed: Grant = { operation: 'DESCRIBE', topic: 'headrace.*' }
    await grant('User:lister', [...listedPermissions(page, 'connector topics list'), listed])
    await grant('User:watcher', [...listedPermissions(page, 'connector status'), listed])
  })
  afterAll(async () => {
    await secured?.stop()
    await chain?.stop()
  })

  async function grant(principal: string, grants: readonly Grant[]): Promise<void> {
    const access = await openAccessControl(secured.broker.bootstrap, principal)
    await access.grant(...grants)
    await access.close()
  }

  async function as(username: string, password = `${username}-secret`): Promise<string[]> {
    const file = await secured.clientProperties({
      'security.protocol': 'SASL_SSL',
      'sasl.mechanism': 'SCRAM-SHA-512',
      'sasl.jaas.config': `org.apache.kafka.common.security.scram.ScramLoginModule required username="${username}" password="${password}";`,
      'ssl.truststore.certificates': secured.authority.certificate,
    })
    return ['--queue', secured.url('SASL_SSL'), '--kafka-config', file]
  }

  const run = (queue: readonly string[]) =>
    connector('run', 'examples/evm', ...queue, '--set', `rpc=${chain.rpc}`, '--set', 'start=0', '--set', 'end=20')

  test('accepts a connector and a gateway with the permissions that the reference lists for each', async () => {
    expect(await run(await as('connector'))).toMatchObject({ code: 0 })
    const created = await connector('keys', 'create', '--name', 'test', '--json', ...(await as('keys')))
    const { key, id } = JSON.parse(created.stdout)
    const gateway: ConnectorProcess = startConnector(['serve', ...(await as('gateway')), '--port', '0'])
    const [url] = (await once(createInterface(gateway.child.stdout!), 'line')) as [string]
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${url}/api/v1/data/${topic}?limit=30`, { headers })
    expect({ status: response.status, ...((await response.json()) as object) }).toMatchObject({
      status: 200,
      data: expect.objectContaining({ length: 21 }),
    })
    const shown = await connector('status', '--json', ...(await as('watcher')))
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ...{ connectors: [{ state: 'ended', unit: '21' }], gateways: [{ address: url, state: 'serving' }] },
      ...{ hidden: [], findings: [] },
    })
    gateway.child.kill('SIGTERM')
    expect(await gateway.ended).toMatchObject({ code: 0 })
    const used = await connector('keys', 'usage', id, '--json', ...(await as('operator')))
    expect(JSON.parse(used.stdout)).toMatchObject({ key: id, requests: 1, records: 21 })
    const rotated = await connector('keys', 'rotate', id, '--grace', '0s', ...(await as('operator')))
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^hr_test_/) })
    const listed = await connector('keys', 'list', '--all', '--json', ...(await as('operator')))
    expect(listed.stdout.trim().split('\n')).toHaveLength(2)
  })

  test('accepts commands that read and list topics with the permissions of the reference', async () => {
    const read = await connector('read', topic, '--from', 'final', '--json', ...(await as('reader')))
    expect(read).toMatchObject({ code: 0, stderr: '' })
    const listed = await connector('topics', 'list', ...(await as('lister')))
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining(topic) })
    const partly = JSON.parse((await connector('status', '--json', ...(await as('lister')))).stdout)
    expect(partly).toMatchObject({ gateways: [], hidden: ['checkpoints', 'processes', 'dead letters'] })
  })

  test('ends a connector that may not write, with the missing permission and how it is granted', async () => {
    const { code, stderr } = await run(await as('gateway'))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/ is missing for User:gateway\. Grant it with: kafka-acls\.sh /),
    })
  })

  test('ends a connector with a wrong password, which is not repeated', async () => {
    const { code, stderr } = await run(await as('connector', 'wrong-secret'))
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/does not accept user \\?"connector\\?" with SCRAM-SHA-512/),
    })
    expect(stderr).not.toContain('wrong-secret')
  })
})
