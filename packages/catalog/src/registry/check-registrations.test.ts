import { describe, expect, it } from 'vitest'
import { checkRegistrations } from './check-registrations.ts'
import { decodeRegistration, encodeRegistration, type TopicRegistration } from './registration.ts'

const block: TopicRegistration = {
  topic: 'acme.evm.1_0_0.ethereum_Block',
  lineage: 'acme.evm.1_0_0',
  instance: 'ethereum',
  connector: { owner: 'acme', package: 'evm', version: '1.2.0' },
  message: 'acme.evm.Block',
  descriptors: Buffer.from('descriptors'),
  key: 'Hash',
  time: 'ts',
  bytes: 'hex',
  partitions: 1,
}

const registered = (...registrations: TopicRegistration[]) =>
  new Map(registrations.map((registration) => [registration.topic, registration]))
const refusal = (part: string) =>
  expect.objectContaining({ code: 'registration_refused', message: expect.stringContaining(part) })

describe('checkRegistrations', () => {
  it('allows a connector to register its topics again, in a newer version, and with additional ones', () => {
    const newer = { ...block, connector: { ...block.connector, version: '1.10.0' } }
    const transactions = { ...newer, topic: 'acme.evm.1_0_0.ethereum_Transaction' }
    expect(() => checkRegistrations(registered(), [block])).not.toThrow()
    expect(() => checkRegistrations(registered(block), [block])).not.toThrow()
    expect(() => checkRegistrations(registered(block), [newer, transactions])).not.toThrow()
  })

  it('refuses the topic of another instance, and names that instance', () => {
    const other = { ...block, instance: 'base' }
    expect(() => checkRegistrations(registered(block), [other])).toThrow(refusal('Start it as "ethereum"'))
  })

  it('refuses the topic of another connector', () => {
    const other = { ...block, lineage: 'acme.other.1_0_0' }
    expect(() => checkRegistrations(registered(block), [other])).toThrow(
      refusal(
        'Topic "acme.evm.1_0_0.ethereum_Block" belongs to the connector "acme.evm.1_0_0", not to "acme.other.1_0_0". ' +
          'Give this topic another name in manifest.yaml.',
      ),
    )
  })

  describe('of a project with an id', () => {
    const mine = { ...block, projectId: 'mine' }
    const other = { ...mine, projectId: 'other', topic: 'acme.evm.2_0_0.b_Block', lineage: 'acme.evm.2_0_0' }
    const { projectId: _, ...unknown } = other

    it('is accepted for its own names, and for names without a registered id', () => {
      expect(() => checkRegistrations(registered(mine), [mine])).not.toThrow()
      expect(() => checkRegistrations(registered(block), [mine])).not.toThrow()
      expect(() => checkRegistrations(registered(block, mine), [{ ...other, projectId: 'mine' }])).not.toThrow()
    })

    it('refuses another project with the same owner and package, in any version', () => {
      expect(() => checkRegistrations(registered(mine), [other])).toThrow(
        refusal(
          '"acme.evm" belongs to the project with the id "mine" in this queue, which has registered ' +
            '"acme.evm.1_0_0.ethereum_Block". This project has the id "other", and would continue from the checkpoint of ' +
            'the other. If they are different projects, change "package" or "owner" in manifest.yaml. If this is the same ' +
            'project, or replaces it, write  id: mine  in manifest.yaml.',
        ),
      )
    })

    it('refuses a project without an id', () => {
      expect(() => checkRegistrations(registered(mine), [unknown])).toThrow(refusal('This project has no id,'))
    })

    it('accepts another project with other names', () => {
      const connector = { ...block.connector, package: 'evm-2' }
      expect(() => checkRegistrations(registered(mine), [{ ...other, connector }])).not.toThrow()
    })
  })

  it('refuses an owner and package that differ from registered ones only in upper and lower case', () => {
    const connector = { ...block.connector, owner: 'Acme' }
    const other = { ...block, topic: 'Acme.evm.1_0_0.x_Y', lineage: 'Acme.evm.1_0_0', connector }
    expect(() => checkRegistrations(registered(block), [other])).toThrow(
      refusal('To continue there, write  owner: acme  and  package: evm  in manifest.yaml.'),
    )
    const second = { ...other, connector: { ...connector, package: 'evm-2' } }
    expect(() => checkRegistrations(registered(block), [second])).not.toThrow()
  })

  it('refuses an older version after a newer one', () => {
    const older = { ...block, connector: { ...block.connector, version: '1.1.9' } }
    expect(() => checkRegistrations(registered(block), [older])).toThrow(refusal('Run version 1.2.0 or a newer one'))
  })

  it('refuses a topic that would change in a way that breaks its readers', () => {
    const other = { ...block, message: 'acme.evm.Header' }
    expect(() => checkRegistrations(registered(block), [other])).toThrow(
      expect.objectContaining({ code: 'incompatible_schema', message: expect.stringContaining('acme.evm.Header') }),
    )
    expect(() => checkRegistrations(registered(block), [{ ...block, partitions: 2 }])).toThrow(
      expect.objectContaining({ code: 'incompatible_schema' }),
    )
  })

  it('refuses names that differ only in . and _', () => {
    const other = { ...block, topic: 'acme.evm.1_0_0.ethereum.Block', lineage: 'acme.evm.1_0_0' }
    const sentence = (wanted: string, there: string) =>
      refusal(
        `Topics "${wanted}" and "${there}" differ only in "." and "_", which Kafka does not allow. Rename one of them.`,
      )
    expect(() => checkRegistrations(registered(block), [other])).toThrow(sentence(other.topic, block.topic))
    expect(() => checkRegistrations(registered(), [block, other])).toThrow(sentence(block.topic, other.topic))
  })
})

describe('registrations', () => {
  it('are decoded to what was encoded', () => {
    const full = { ...block, successor: 'x', projectId: 'mine', connector: { ...block.connector, title: 'EVM' } }
    for (const one of [block, full]) expect(decodeRegistration(encodeRegistration(one))).toEqual(one)
  })

  it.each(['', '{}', 'null', '[]', '"text"', '{"topic":1}'])('are refused when they are %s', (text) => {
    expect(() => decodeRegistration(Buffer.from(text))).toThrow(
      expect.objectContaining({ code: 'invalid_registration' }),
    )
  })

  it('are refused without a valid version', () => {
    for (const wrong of [{ lineage: 'acme.evm' }, { connector: { ...block.connector, version: 'new' } }])
      expect(() => decodeRegistration(encodeRegistration({ ...block, ...wrong }))).toThrow(
        expect.objectContaining({ code: 'invalid_registration' }),
      )
  })

  it.each(Object.keys(block).filter((member) => !['key', 'time'].includes(member)))(
    'are refused without %s',
    (member) => {
      const json = JSON.parse(Buffer.from(encodeRegistration(block)).toString())
      delete json[member]
      expect(() => decodeRegistration(Buffer.from(JSON.stringify(json)))).toThrow(
        expect.objectContaining({ code: 'invalid_registration', message: expect.stringContaining(member) }),
      )
    },
  )
})
