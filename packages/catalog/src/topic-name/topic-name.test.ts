import { describe, expect, it } from 'vitest'
import { checkTopicName, formatTopicName, isSystemTopic } from './topic-name.ts'
import { compareVersions, parseVersion } from './version.ts'

describe('formatTopicName', () => {
  it('writes the version with underscores', () => {
    const name = formatTopicName({ owner: 'headrace', package: 'evm', topicVersion: '1.0.0', name: 'ethereum_Block' })
    expect(name).toBe('headrace.evm.1_0_0.ethereum_Block')
    expect(checkTopicName(name)).toBeUndefined()
  })
})

describe('checkTopicName', () => {
  it.each(['headrace.evm.1_0_0.ethereum_Block', 'a.10_20_30.x.some_contract_Transfer', 'other-owner.b.0_0_1.c_D'])(
    'allows %s',
    (name) => expect(checkTopicName(name)).toBeUndefined(),
  )

  it.each([
    ['', 'it is empty'],
    [`a.1_0_0.${'x'.repeat(250)}_B`, '260 characters'],
    ['a.1_0_0.c_B/', '"/"'],
    ['a.1_0_0.ü_B', '"ü"'],
    ['_headrace.1_0_0.keys_X', 'are reserved'],
    ['a..1_0_0.c_B', 'empty segment'],
    ['a.1_0.c_B', 'a version'],
    ['a.01_0_0.c_B', 'a version'],
    ['a.b.1_0_0', 'a version'],
    ['a.1_0_0.Block', '<contract>_<EventName>'],
    ['a.1_0_0._Block', '<contract>_<EventName>'],
    ['a.1_0_0.block_', '<contract>_<EventName>'],
  ])('reports the mistake in "%s"', (name, part) => expect(checkTopicName(name)).toContain(part))
})

describe('isSystemTopic', () => {
  it('recognizes a system topic by its first segment', () => {
    expect(isSystemTopic('_headrace.keys')).toBe(true)
    expect(isSystemTopic('_headracer.keys')).toBe(false)
  })
})

describe('versions', () => {
  it('compares by number, not by text', () => {
    expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0)
    expect(compareVersions('1.0.0', '1.0.0')).toBe(0)
    expect(compareVersions('0.9.9', '1.0.0')).toBeLessThan(0)
  })

  it.each(['1.0', '1.0.0.0', '01.0.0', 'v1.0.0', '1.0.0-beta', '', '1.0.-1'])(
    'does not accept the version "%s"',
    (text) => expect(parseVersion(text)).toBeUndefined(),
  )
})
