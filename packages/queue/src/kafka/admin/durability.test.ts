import { describe, expect, it } from 'vitest'
import { durabilityFindings } from './durability.ts'

const safe = { 'min.insync.replicas': '2', 'unclean.leader.election.enable': 'false', 'max.message.bytes': '1048588' }

function codes(replicas: number, settings: Partial<Record<keyof typeof safe, string>> = {}): string[] {
  const all = new Map(Object.entries({ ...safe, ...settings }))
  return durabilityFindings({ topic: 't', replicas, settings: all }).map(({ code }) => code)
}

describe('how safe a topic is', () => {
  it.for([
    ['nothing where it is as it should be', codes(3), []],
    ['nothing with more replicas', codes(5, { 'min.insync.replicas': '3' }), []],
    ['one replica alone, of which the minimum in sync follows', codes(1), ['low_replication']],
    ['two replicas that must both be there', codes(2), ['low_replication', 'high_min_isr']],
    ['a commit that may be on one broker only', codes(3, { 'min.insync.replicas': '1' }), ['low_min_isr']],
    ['a minimum that no broker may miss', codes(3, { 'min.insync.replicas': '3' }), ['high_min_isr']],
    ['unclean elections', codes(3, { 'unclean.leader.election.enable': 'true' }), ['unclean_election']],
    ['small batches', codes(3, { 'max.message.bytes': '262143' }), ['small_batches']],
    ['nothing of batches of 256 KiB', codes(3, { 'max.message.bytes': '262144' }), []],
  ] as const)('names %s', ([, found, expected]) => {
    expect(found).toEqual(expected)
  })

  it('gives the command that mends it', () => {
    const settings = new Map(Object.entries({ ...safe, 'min.insync.replicas': '3' }))
    const [finding] = durabilityFindings({ topic: 't', replicas: 3, settings })
    expect(finding).toMatchObject({
      severity: 'warning',
      place: 'topic "t"',
      remedy: expect.stringMatching(/--entity-name t --add-config min\.insync\.replicas=2$/),
    })
  })

  it('says of settings that may not be seen nothing but what the replicas say', () => {
    expect(durabilityFindings({ topic: 't', replicas: 3, settings: undefined })).toEqual([])
  })
})
