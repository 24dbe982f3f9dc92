import { type UnitChoice, type VerifyFinding, type VerifySummary, verifyConnector } from '@headrace/sdk'
import { createTestProject, type TestProject } from '@headrace/sdk/testing'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { servesOtherBranch } from '../../../packages/evm/test/node-faults.ts'
import { type Chain, startChain } from '../../../packages/testbed/chain/chain.ts'
import { type Call, startFakeNode } from '../../../packages/testbed/chain/fake-node.ts'
import { call } from '../../../packages/testbed/chain/json-rpc.ts'
import { speedUpTime } from '../../../packages/testbed/fast-time.ts'
import connector from '../src/connector.ts'
import { type Alter, alterations, recordsOf, replace } from './alterations.ts'
import { editOf, type PublishedCopy, readCopy, writeCopy } from './altered-copy.ts'

const folder = new URL('..', import.meta.url)
const log = pino({ level: 'silent' })
const topics = { receipts: true, logs: true }
let chain: Chain

beforeAll(async () => {
  chain = await startChain({ genesisTime: Math.floor(Date.now() / 1000) - 3600 })
  // The time of a record shows its block if its unit is wrong: no two blocks may have the same time.
  await call(chain.rpc, 'anvil_setBlockTimestampInterval', [1])
  await chain.mine(7)
})
afterAll(() => chain?.stop())

interface Verified {
  readonly codes: readonly string[]
  readonly findings: readonly VerifyFinding[]
  readonly summary: VerifySummary
}

async function verify({ project, settings, queue }: TestProject, compare: UnitChoice): Promise<Verified> {
  const findings: VerifyFinding[] = []
  const { signal } = new AbortController()
  const summary = await verifyConnector({
    ...{ connector, project, settings, queue, compare, signal, log },
    async onFinding(finding) {
      findings.push(finding)
    },
  })
  return { codes: findings.map(({ code }) => code), findings, summary }
}

const engines = [
  { name: 'embedded', url: undefined },
  { name: 'Kafka', url: inject('kafka') },
]

/** The same checks run without a comparison. One alteration for each code is enough to test it. */
const firstOfCode = new Set(new Map(alterations.toReversed().map(([what, , codes]) => [codes.join(), what])).values())
const onEachEngine = new Set(['a changed value', 'a lost record', 'a missing revert', 'a wrong dead interval'])

describe.each(engines.filter(({ url }) => url !== null))('what was published to $name', ({ url }) => {
  const unique = Math.random().toString(36).slice(2, 8)
  let copies = 0
  let source: TestProject
  let published: PublishedCopy

  const open = (name: string, others: object = {}) =>
    createTestProject(folder, {
      settings: { rpc: chain.rpc, chain: name, start: 0, ...topics, ...others },
      ...(url ? { queue: `kafka://${url}` } : {}),
    })

  beforeAll(async () => {
    source = await open(`v${unique}`)
    const runTo = async (end: number) => {
      const run = await source.openOther(folder, { settings: { ...source.settings.values, end } })
      await run.run(connector)
    }
    const head = async () => Number(await call(chain.rpc, 'eth_blockNumber'))
    await runTo(await head())
    for (const depth of [3, 1, 6]) {
      await chain.reorganise(depth, { transactions: 4 })
      await chain.mine(2)
      await runTo(await head())
    }
    await chain.mine(3)
    await runTo(await head())
    published = await readCopy(source)
  })
  afterAll(() => source?.close())

  /** Publishes an altered copy next to the published records. */
  async function publishAltered(alter: Alter): Promise<TestProject> {
    const settings = { ...source.settings.values, chain: `w${unique}x${copies++}` }
    const altered = await source.openOther(folder, { settings })
    await writeCopy(altered, alter(published, editOf(source)))
    return altered
  }

  test('is verified without findings after reorganisations: completely, by sample, and offline', async () => {
    expect(published.intervals.length).toBeGreaterThan(2)
    const full = await verify(source, 'all')
    expect(full.findings).toEqual([])
    const { units } = full.summary
    expect(full.summary).toMatchObject({ compared: units, records: published.records.length, findings: 0 })
    expect(await verify(source, { sample: 3 })).toMatchObject({ findings: [], summary: { units } })
    expect(await verify(source, 'none')).toMatchObject({ findings: [], summary: { units, compared: 0 } })
    const copied = await publishAltered((copy) => copy)
    expect(await verify(copied, 'all')).toMatchObject({ findings: [], summary: { compared: units } })
  })

  // The checks of records do not depend on the engine.
  const cases = url ? alterations.filter(([what]) => onEachEngine.has(what)) : alterations
  test.each(cases)('has only the expected finding with %s', async (what, alter, compared, offline = compared) => {
    const altered = await publishAltered(alter)
    expect((await verify(altered, 'all')).codes).toEqual(compared)
    if (offline !== compared || firstOfCode.has(what)) expect((await verify(altered, 'none')).codes).toEqual(offline)
  })

  // These do not depend on the engine either.
  if (url) return

  test('has findings with the place, the expected and the found value', async () => {
    const altered = await publishAltered((copy, edit) => {
      const [, record] = recordsOf(copy, 'Transaction')
      return replace(copy, record!, edit(record!, { AccountNonce: 4_000n }))
    })
    const { findings } = await verify(altered, 'all')
    const [record] = recordsOf(published, 'Transaction').slice(1)
    expect(findings).toEqual([
      {
        code: 'message_differs',
        message: 'AccountNonce differs from the source.',
        topic: expect.stringMatching(/_Transaction$/),
        partition: 0,
        offset: expect.stringMatching(/^\d+$/),
        seq: record!.seq,
        unit: record!.unit,
        source: { block: expect.any(Number) },
        expected: { AccountNonce: expect.any(String) },
        found: { AccountNonce: '4000' },
      },
    ])
  })

  test('is refused if the node serves another chain', async () => {
    const other = await startChain({ chainId: 31338 })
    try {
      const settings = { ...source.settings.values, rpc: other.rpc }
      await using project = await createTestProject(folder, { settings, queue: source.queue })
      await expect(verify(project, 'all')).rejects.toMatchObject({ code: 'chain_changed' })
    } finally {
      await other.stop()
    }
  })

  test('is refused if nothing has been published', async () => {
    await using project = await open(`n${unique}`)
    await expect(verify(project, 'none')).rejects.toMatchObject({ code: 'nothing_published' })
  })
})

test('each block that a shortened chain no longer has is found', async () => {
  const shorter = await startChain()
  try {
    await shorter.mine(5)
    const settings = { rpc: shorter.rpc, start: 0, end: 5 }
    await using project = await createTestProject(folder, { settings })
    await project.run(connector)
    await call(shorter.rpc, 'anvil_rollback', [2])
    const { findings, summary } = await verify(project, 'all')
    const { hash } = await call<{ hash: string }>(shorter.rpc, 'eth_getBlockByNumber', ['latest', false])
    const blocks = await project.records('Block')
    expect(blocks[3]!.key).toBe(hash)
    expect(findings).toMatchObject(
      [4, 5].map((number) => ({
        code: 'block_replaced',
        message: `The chain has no block ${number}.`,
        unit: number + 1,
        source: { block: number },
        expected: null,
        found: blocks[number]!.key,
      })),
    )
    expect(summary).toMatchObject({ units: 6, findings: 2 })
  } finally {
    await shorter.stop()
  }
})

test('a block that one node returns malformed is compared with that of another node', async () => {
  const wrong = await startFakeNode(chain.rpc)
  const extraData = `0x${'zz'.repeat(20)}`
  wrong.fault = ({ method, params: [name] }) =>
    method === 'eth_getBlockByNumber' && name !== '0x0'
      ? { result: (block) => ({ ...(block as object), extraData }) }
      : undefined
  try {
    await using project = await createTestProject(folder, { settings: { rpc: chain.rpc, start: 0, end: 5 } })
    await project.run(connector)
    const settings = { ...project.settings.values, rpc: [wrong.rpc, chain.rpc] }
    const verified = await project.openOther(folder, { settings })
    expect(await verify(verified, 'all')).toMatchObject({ findings: [], summary: { compared: 6 } })
  } finally {
    await wrong.close()
  }
})

describe('if a node is on another branch', () => {
  const openBetween = async () => {
    const [other, right] = [await startFakeNode(chain.rpc), await startFakeNode(chain.rpc)]
    const project = await createTestProject(folder, { settings: { rpc: chain.rpc, start: 0, end: 5 } })
    await project.run(connector)
    const settings = { ...project.settings.values, rpc: [other.rpc, right.rpc] }
    const verified = await project.openOther(folder, { settings })
    other.fault = servesOtherBranch({ fork: 4 })
    return {
      ...{ right, verified },
      async [Symbol.asyncDispose]() {
        await project.close()
        await Promise.all([other.close(), right.close()])
      },
    }
  }
  const asksForLast = ({ method, params: [name] }: Call) => method === 'eth_getBlockByNumber' && name === '0x5'

  test('a block is not reported as replaced if its node fails for a moment', async () => {
    await using opened = await openBetween()
    let left = 2
    opened.right.fault = (call) => (asksForLast(call) && left-- > 0 ? { status: 502 } : undefined)
    expect(await verify(opened.verified, 'all')).toMatchObject({ findings: [], summary: { compared: 6 } })
    expect(left).toBeLessThan(1)
  })

  test('a block has no finding while the other node is unavailable', async () => {
    speedUpTime()
    await using opened = await openBetween()
    opened.right.fault = (call) => (asksForLast(call) ? { status: 502 } : undefined)
    await expect(verify(opened.verified, 'all')).rejects.toMatchObject({ code: 'rpc_unavailable' })
  })
})
