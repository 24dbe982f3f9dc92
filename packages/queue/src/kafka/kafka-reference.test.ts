import { describe, expect, it } from 'vitest'
import type { Grant } from '../../../testbed/kafka/security/access-control.ts'
import { listedPermissions } from '../../../testbed/reference/listed-permissions.ts'
import { readReferencePage } from '../../../testbed/reference/reference-page.ts'
import { durabilityFindings, durabilitySettings } from './admin/durability.ts'
import { checkedSettings, settingsFor } from './admin/topic-settings.ts'
import { operations } from './connection/broker-error.ts'
import { compressionKeys } from './connection/compression-settings.ts'
import { defaultKafkaSettings, fullBatchBytes } from './connection/kafka-settings.ts'
import { saslKeys } from './connection/security/sasl-settings.ts'
import { tlsKeys } from './connection/security/tls-settings.ts'
import { maxTransactionTimeout } from './diagnose.ts'
import { verification } from './transaction/protocol/choose-protocol.ts'

const page = readReferencePage('kafka.md')

/** The first column of a table. */
const names = (heading: string, column: string): string[] => page.rows(heading, column).map(([name]) => name!)

describe('docs/reference/kafka.md', () => {
  it('lists every key of client.properties that is read, and no other', () => {
    expect(names('client.properties', 'key').sort()).toEqual(
      ['security.protocol', ...saslKeys, ...tlsKeys, ...compressionKeys].sort(),
    )
  })

  it('uses in its examples only keys that are read', () => {
    const text = page.code('client.properties', 'properties').join('').replaceAll('\\\n', '')
    const used = text
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0])
    expect(names('client.properties', 'key')).toEqual(expect.arrayContaining(used))
  })

  it('lists every setting that is checked, and no other', () => {
    const settings = [verification, maxTransactionTimeout, ...checkedSettings, ...durabilitySettings]
    const counted = ['transaction.version', 'partitions', 'replicas']
    expect(names('Settings that are checked', 'setting').sort()).toEqual([...settings, ...counted].sort())
  })

  it('gives the limits of those settings that have one', () => {
    const wanted = new Map(page.rows('Settings that are checked', 'setting').map(([name, value]) => [name, value]))
    expect(wanted.get(maxTransactionTimeout)).toMatch(
      new RegExp(`^${defaultKafkaSettings.transactionTimeoutMs} or more`),
    )
    expect(wanted.get('max.message.bytes')).toBe(`${fullBatchBytes} or more`)
  })

  it('names every weakness of a topic that causes a warning', () => {
    const weak = { 'min.insync.replicas': '1', 'unclean.leader.election.enable': 'true', 'max.message.bytes': '1' }
    const found = [
      ...durabilityFindings({ name: 't', replicas: 2, settings: new Map(Object.entries(weak)) }),
      ...durabilityFindings({ name: 't', replicas: 2, settings: new Map([['min.insync.replicas', '2']]) }),
    ]
    const warnings = page.rows('Settings that are checked', 'setting').map((row) => row[2]!)
    const named = warnings
      .filter((cell) => cell.startsWith('warning'))
      .flatMap((cell) => cell.match(/[a-z]+(_[a-z]+)+/g))
    expect(new Set(named)).toEqual(new Set(found.map(({ code }) => code)))
  })

  it('lists the settings that topics are created with', () => {
    const rows = page.rows('Topics', 'setting')
    const column = (index: number) =>
      Object.fromEntries(rows.filter((row) => row[index] !== '').map((row) => [row[0], row[index]]))
    expect({ delete: column(1), compact: column(2) }).toEqual({
      delete: settingsFor('delete'),
      compact: settingsFor('compact'),
    })
  })

  it('creates topics in advance with the same settings', () => {
    const [commands] = page.code('Made beforehand', 'sh')
    for (const cleanup of ['delete', 'compact'] as const) {
      const own = new RegExp(`^${cleanup}='(.*?)'$`, 'ms').exec(commands!)![1]!
      const shared = commands!.replaceAll(/^\w+='.*?'$/gms, '')
      const configured = Object.fromEntries(
        [...`${shared} ${own}`.matchAll(/--config (\S+)=(\S+)/g)].map(([, name, value]) => [name, value]),
      )
      expect(configured).toEqual({ ...settingsFor(cleanup), 'min.insync.replicas': '2' })
    }
  })

  it('lists every time and size that a program can set, with its default', () => {
    const listed = page.rows('When a broker is unavailable', 'setting').map(([name, value]) => [name, value])
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(Object.entries(defaultKafkaSettings).map(([name, value]) => [name, `${value}`])),
    )
  })

  it.for(['connector', 'gateway'])('has commands that grant a %s the permissions of the table', (who) => {
    const [commands] = page.code(`For a ${who}`, 'sh')
    const listed = listedPermissions(page, who)
    expect(grantedBy(commands!)).toEqual(listed)
  })

  it('names every permission that a request needs', () => {
    const asked = Object.values(operations).flatMap((byResource) => Object.values(byResource))
    for (const operation of asked) expect(page.text).toContain(`\`${operation}\``)
  })
})

/** The permissions of calls like `grant --operation Write --topic headrace.evm. --resource-pattern-type prefixed`. */
function grantedBy(commands: string): Grant[] {
  const calls = commands.replaceAll('\\\n', '').match(/^grant --.*$/gm) ?? []
  return calls.flatMap((call) => {
    const suffix = call.includes('--resource-pattern-type prefixed') ? '*' : ''
    const resources = [...call.matchAll(/--(topic|transactional-id) (\S+)/g)]
    return [...call.matchAll(/--operation (\w+)/g)].flatMap(([, granted]) => {
      const operation = granted!.toUpperCase() as Grant['operation']
      return resources.map(([, kind, name]): Grant => {
        return kind === 'topic'
          ? { operation, topic: `${name}${suffix}` }
          : { operation, transactionalId: `${name}${suffix}` }
      })
    })
  })
}
