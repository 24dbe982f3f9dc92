import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { UserError } from '../../../errors.ts'
import { readClientProperties } from './client-properties.ts'

const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule'
const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule'

describe('client.properties', () => {
  let file: string

  beforeAll(async () => {
    file = join(await mkdtemp(join(tmpdir(), 'headrace-properties-')), 'client.properties')
  })
  afterAll(() => rm(join(file, '..'), { recursive: true }))

  async function read(...lines: string[]): ReturnType<typeof readClientProperties> {
    await writeFile(file, lines.join('\n'), 'latin1')
    return readClientProperties(file)
  }

  async function refusal(...lines: string[]): Promise<string> {
    const error = await read(...lines).then(
      () => undefined,
      (error: UserError) => error,
    )
    expect(error).toMatchObject({ code: 'invalid_kafka_config' })
    expect(error!.message).not.toContain('hush')
    return error!.message.replaceAll(file, 'FILE')
  }

  it.for([
    ['no setting', ''],
    ['settings of other parts', 'batch.size=1\nclient.id: x\nacks=all'],
    ['the protocol in lower case', 'security.protocol=plaintext'],
    ['settings that its protocol does not use', 'sasl.mechanism=GSSAPI\nssl.protocol=TLS'],
  ] as const)('may contain %s', async ([, text]) => {
    expect(await read(text)).toEqual({ security: { protocol: 'PLAINTEXT' }, settings: {} })
  })

  it.for([
    ['PLAIN', plain],
    ['SCRAM-SHA-256', scram],
    ['SCRAM-SHA-512', scram],
  ] as const)('contains the credentials of %s', async ([mechanism, module]) => {
    const { security } = await read(
      'security.protocol=SASL_PLAINTEXT',
      `sasl.mechanism=${mechanism}`,
      `sasl.jaas.config=${module} required \\`,
      '  username="me" \\',
      '  password="hü\\u20ac\\\\"sh\\\\\\\\";',
    )
    expect(security).toEqual({
      protocol: 'SASL_PLAINTEXT',
      sasl: { mechanism, username: 'me', password: 'hü€"sh\\' },
    })
  })

  it('checks the name in the certificate of the broker unless that is disabled', async () => {
    const protocol = 'security.protocol=SSL'
    const algorithm = 'ssl.endpoint.identification.algorithm='
    const checks = async (...lines: string[]) => (await read(protocol, ...lines)).security.tls?.checkServerName
    expect(await checks()).toBe(true)
    expect(await checks(`${algorithm}HTTPS`)).toBe(true)
    expect(await checks(algorithm)).toBe(false)
    expect(await refusal(protocol, `${algorithm}x`)).toMatch(/^FILE:2: .* is "x"\. Set https/)
  })

  const sasl = ['security.protocol=SASL_SSL', 'sasl.mechanism=PLAIN']
  const ssl = 'security.protocol=SSL'
  const oauth = ['security.protocol=SASL_SSL', 'sasl.mechanism=OAUTHBEARER']
  const endpoint = 'sasl.oauthbearer.token.endpoint.url'
  const command = 'headrace.sasl.oauthbearer.token.command'
  const oauthModule = 'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule'
  const jaas = (options: string, module = oauthModule) => `sasl.jaas.config=${module} required ${options};`

  it.for([
    [['security.protocol=TLS'], /^FILE:1: security\.protocol is "TLS"\. Set one of PLAINTEXT, SSL, SASL_PLAIN/],
    [['security.protocol=SASL_SSL'], /^FILE: sasl\.mechanism is missing, and Kafka's default GSSAPI is not/],
    [[sasl[0], 'sasl.mechanism=AWS_MSK_IAM'], /^FILE:2: sasl\.mechanism is "AWS_MSK_IAM"\. .*signers with OAUTHBEARER/],
    [[...sasl, `${endpoint}=https://a`], /^FILE:3: sasl\.oauthbearer\.token\.endpoint\.url is not used by PLAIN/],
    [['headrace.sasl.oauthbearer.command=x'], /^FILE:1: headrace\.sasl\.oauthbearer\.command is not supported/],
    [oauth, /^FILE: sasl\.oauthbearer\.token\.endpoint\.url is missing, .* or set headrace\.sasl\.oauthbearer/],
    [[...oauth, `${endpoint}=issuer`], /^FILE:3: .* is not a URL\. Set one that begins with https/],
    [[...oauth, `${endpoint}=https://a`, `${command}=b`], /^FILE:4: .* is a second origin of tokens/],
    [[...oauth, `${endpoint}=https://a`], /^FILE: \S+client\.id is missing\. Set it, or clientId="…" in sasl\.jaas/],
    [[...oauth, `${endpoint}=https://a`, jaas('clientId="a"')], /^FILE: \S+client\.secret is missing/],
    [
      [...oauth, `${command}=a`, jaas('clientSecrets="hush"')],
      /^FILE:4: .* has the option clientSecrets, which is not/,
    ],
    [[...oauth, `${command}=a`, jaas('extension_auth="hush"')], /^FILE:4: .* RFC 7628 does not allow/],
    [
      [...oauth, `${command}=a`, jaas('', plain)],
      /^FILE:4: .* names the login module ".*Plain.*OAuthBearerLoginModule/,
    ],
    [
      [...oauth, 'sasl.login.callback.handler.class=software.amazon.msk.X'],
      /^FILE:3: .* Set headrace\.sasl\..*instead/,
    ],
    [
      [...oauth, `${endpoint}=https://a`, jaas('clientId="a" clientSecret="hush" ssl.truststore.location="/no/such"')],
      /^FILE:4: sasl\.jaas\.config has an option ssl\.truststore\.location that names a file that cannot be read: ENOENT/,
    ],
    [[...sasl, 'sasl.kerberos.service.name=k'], /^FILE:3: sasl\.kerberos\.service\.name is not supported\. Remove it/],
    [sasl, /^FILE: sasl\.jaas\.config is missing\. Write it as/],
    [[...sasl, 'sasl.jaas.config=a.Kerberos required;'], /^FILE:3: .* names the login module "a\.Kerberos", which/],
    [[...sasl, `sasl.jaas.config=${plain} required password="hush";`], /^FILE:3: sasl\.jaas\.config has no username/],
    [
      [...sasl, `sasl.jaas.config=${plain} required password="hush"`],
      /^FILE:3: .* cannot be read: ";" after the value/,
    ],
    [[...sasl, `sasl.jaas.config=${scram} required tokenauth="true";`], /^FILE:3: .* delegation token/],
    [[ssl, '', 'ssl.provider=x'], /^FILE:3: ssl\.provider is not supported\. Remove it\. .* ssl\.truststore\.location/],
    [[ssl, 'ssl.enabled.protocols=TLSv1.1'], /^FILE:2: .* has "TLSv1\.1"\. Set TLSv1\.2, TLSv1\.3 or both/],
    [[ssl, 'ssl.truststore.location=/no/such.pem'], /^FILE:2: .* cannot be read: ENOENT.* current directory/],
    [[ssl, 'ssl.truststore.certificates=hush'], /^FILE:2: .* holds no certificate in PEM form/],
    [[ssl, 'ssl.keystore.key=hush'], /^FILE:2: ssl\.keystore\.key comes without a private key/],
    [
      ['compression.type=producer'],
      /^FILE:1: compression\.type is "producer"\. Set one of none, gzip, snappy, lz4, zstd/,
    ],
    [['compression.gzip.level=0'], /^FILE:1: .* is "0"\. Set a whole number from 1 to 9 or -1\./],
    [['compression.zstd.level=best'], /^FILE:1: .* is "best"\. Set a whole number from -131072 to 22\./],
    [['', 'compression.lz4.level=9'], /^FILE:2: compression\.lz4\.level is not supported\. .*compression\.gzip\.level/],
    [['config.providers=env'], /^FILE:1: config\.providers is not supported/],
  ] as [string[], RegExp][])('is refused with %j', async ([lines, message]) => {
    expect(await refusal(...lines)).toMatch(message)
  })

  it('contains the origin of tokens and the extensions that are sent with them', async () => {
    const id = 'sasl.oauthbearer.client.credentials.client.id=me'
    const options =
      'clientId="you" clientSecret="hush" extension_logicalCluster="lkc-1" extension_identityPoolId="pool-1"'
    const { security } = await read(...oauth, `${endpoint}=https://issuer.example/token`, id, jaas(options))
    expect(security.sasl).toMatchObject({
      mechanism: 'OAUTHBEARER',
      tokens: { description: 'https://issuer.example/token for client "me"' },
      extensions: { logicalCluster: 'lkc-1', identityPoolId: 'pool-1' },
    })
  })

  it('contains the compression of batches and its levels', async () => {
    const { settings } = await read('compression.type=GZIP', 'compression.gzip.level=-1', 'compression.zstd.level=19')
    expect(settings).toEqual({ compression: 'gzip', gzipLevel: -1, zstdLevel: 19 })
  })

  it('is refused with the reason if it cannot be read', async () => {
    await expect(readClientProperties('/no/such/file')).rejects.toThrow(/cannot be read: ENOENT/)
  })
})
