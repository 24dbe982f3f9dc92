import { Connection, FeatureUpgradeTypes, updateFeaturesV1 } from '@platformatic/kafka'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type SecuredKafka, startSecuredKafka } from '../../../testbed/kafka/security/start-secured-kafka.ts'
import { issuerClient, startTokenIssuer, type TokenIssuer } from '../../../testbed/kafka/security/token-issuer.ts'
import { brokerAddresses, kafka } from '../kafka-fixture.ts'
import { allFindings } from './all-findings.ts'
import { shortIdleSessions, startIdleSession } from './idle-session.ts'
import { describeOAuthBearer } from './oauthbearer.ts'
import { describePermissions } from './permissions.ts'
import { describeSecurity } from './security.ts'
import { describeSettings } from './settings.ts'
import { describeWriter } from './writer.ts'

/** One broker for all tests that need other settings than the shared one. A broker takes seconds to start. */
describe.skipIf(kafka === null)('a dedicated Kafka broker', () => {
  let secured: SecuredKafka
  let issuer: TokenIssuer
  const broker = () => secured.broker

  beforeAll(async () => {
    issuer = await startTokenIssuer()
    const started = await startSecuredKafka({
      tokenIssuer: issuer,
      users: { alice: 'alice-secret', bob: 'bob-secret' },
      superUsers: ['User:alice', 'User:CN=client', `User:${issuerClient.id}`],
      transactionVersion: 0,
      properties: shortIdleSessions,
    })
    if ('unavailable' in started) throw new Error(started.unavailable)
    secured = started
  })
  afterAll(async () => {
    await secured?.stop()
    await issuer.close()
  })

  describe('under TV1', () => {
    const testIdleSession = startIdleSession(broker)

    it('is diagnosed as one whose transactions take longer', async () => {
      const findings = await allFindings({ bootstrap: brokerAddresses(broker().bootstrap) })
      expect(findings).toContainEqual(expect.objectContaining({ severity: 'warning', code: 'old_transactions' }))
    })

    describeWriter(broker)
    testIdleSession()
  })

  describe('under TV2', () => {
    beforeAll(() => upgradeTransactions(broker().bootstrap))
    const testIdleSession = startIdleSession(broker)

    describeSecurity(() => secured)
    describeOAuthBearer(
      () => secured,
      () => issuer,
    )
    describePermissions(() => secured)
    testIdleSession()
    describeSettings(broker)
  })
})

/** As `kafka-features.sh upgrade --feature transaction.version=2`. Resolves when the upgrade is in effect. */
async function upgradeTransactions(bootstrap: string): Promise<void> {
  const [address] = brokerAddresses(bootstrap)
  const connection = new Connection('test')
  await connection.connect(address!.host, address!.port)
  const upgrade = { feature: 'transaction.version', maxVersionLevel: 2, upgradeType: FeatureUpgradeTypes.UPGRADE }
  await updateFeaturesV1.api.async(connection, 30_000, [upgrade], false)
  await connection.close()
  await vi.waitFor(async () => {
    const findings = await allFindings({ bootstrap: [address!] })
    expect(findings.map(({ code }) => code)).not.toContain('old_transactions')
  }, 30_000)
}
