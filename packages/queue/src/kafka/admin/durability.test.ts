import { describe, expect, it } from 'vitest'
import { durabilityFindings } from './durability.ts'

const safe = { 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false', 'max.message.bytes': '1048588' }

function codes(replicas: number, settings: Partial<Record<keyof typeof safe, string>> = {}): string[] {
  const all = new Map(Object.entries({ ...safe, ...settings }))
  return durabilityFindings({ name: 't', replicas, settings: all }).map(({ code }) => code)
}

describe('the durability check of a topic', () => {
  it.for([
    ['nothing for safe settings', codes(3), []],
    ['nothing for more replicas', codes(5, { 'min.insync.replicas': '3' }), []],
    ['a single replica once, without its min.insync.replicas', codes(1), ['low_replication']],
    ['two replicas that must both be available', codes(2), ['low_replication', 'high_min_isr']],
    ['a minimum of one broker in sync', codes(3, { 'min.insync.replicas': '1' }), ['low_min_isr']],
    ['a minimum that requires all brokers', codes(3, { 'min.insync.replicas': '3' }), ['high_min_isr']],
    ['unclean elections', codes(3, { 'unclean.leader.election.enable': 'true' }), ['unclean_election']],
    ['small batches', codes(3, { 'max.message.bytes': '262143' }), ['small_batches']],
    ['nothing for batches of 256 KiB', codes(3, { 'max.message.bytes': '262144' }), []],
  ] as const)('reports %s', ([, found, expected]) => {
    expect(found).toEqual(expected)
  })

  it('reports the command that fixes it', () => {
    const settings = new Map(Object.entries({ ...safe, 'min.insync.replicas': '3' }))
    const [finding] = durabilityFindings({ name: 't', replicas: 3, settings })
    expect(finding).toMatchObject({
      severity: 'warning',
      place: 'topic "t"',
      remedy: expect.stringMatching(/--entity-name t --add-config min\.insync\.replicas=2$/),
    })
  })

  it('checks only the replicas if the settings are hidden', () => {
    expect(durabilityFindings({ name: 't', replicas: 3, settings: undefined })).toEqual([])
  })
})
