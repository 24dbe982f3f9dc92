import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readAbi } from './read-abi.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headrace-abi-'))
})
afterAll(() => rm(folder, { recursive: true }))

const transfer = {
  type: 'event',
  name: 'Transfer',
  anonymous: false,
  inputs: [
    { name: 'from', type: 'address', indexed: true },
    { name: 'value', type: 'uint256', indexed: false },
  ],
}
const view = { type: 'function', name: 'total', inputs: [], outputs: [{ type: 'uint256' }], stateMutability: 'view' }
const list = [view, transfer]

describe('readAbi', () => {
  it.each<[what: string, content: unknown, contractName: string]>([
    ['a list, as solc gives it', list, 'Token'],
    [
      'an artifact of Hardhat',
      { _format: 'hh-sol-artifact-1', contractName: 'Coin', abi: list, bytecode: '0x' },
      'Coin',
    ],
    ['an artifact of Foundry', { abi: list, bytecode: { object: '0x' }, methodIdentifiers: {} }, 'Token'],
    ['an ABI of Etherscan', { status: '1', message: 'OK', result: JSON.stringify(list) }, 'Token'],
    ['sources of Etherscan', { status: '1', result: [{ ABI: JSON.stringify(list), ContractName: 'Coin' }] }, 'Coin'],
    [
      'a list of declarations in Solidity',
      ['function total() view returns (uint256)', 'event Transfer(address indexed from, uint256 value)'],
      'Token',
    ],
  ])('accepts %s', async (_, content, contractName) => {
    const abi = await readAbi(await written(JSON.stringify(content)))
    expect(abi.contractName).toBe(contractName)
    expect(abi.entries).toHaveLength(2)
    expect(abi.events.map((event) => event.format('full'))).toEqual([
      'event Transfer(address indexed from, uint256 value)',
    ])
  })

  it('accepts a file that begins with a byte order mark', async () => {
    expect((await readAbi(await written(`\u{feff}${JSON.stringify(list)}`))).events).toHaveLength(1)
  })

  it('takes the name of the contract from the name of the file, without the suffix of solc', async () => {
    expect((await readAbi(await written(JSON.stringify(list), 'Vault.abi.json'))).contractName).toBe('Vault')
  })

  it('uses the ABI of ERC-20 by default', async () => {
    const { contractName, events, entries } = await readAbi(undefined)
    expect(contractName).toBe('erc20')
    expect(entries).toHaveLength(8)
    expect(events.map((event) => event.format('full'))).toEqual([
      'event Transfer(address indexed from, address indexed to, uint256 value)',
      'event Approval(address indexed owner, address indexed spender, uint256 value)',
    ])
  })

  it('drops duplicate events, and keeps events with different numbers of indexed parameters', async () => {
    const indexed = { ...transfer, inputs: transfer.inputs.map((input) => ({ ...input, indexed: true })) }
    const renamed = { ...transfer, inputs: transfer.inputs.map((input) => ({ ...input, name: 'other' })) }
    const { events } = await readAbi(await written(JSON.stringify([transfer, transfer, indexed, renamed])))
    expect(events.map(({ inputs }) => inputs.map(({ name }) => name))).toEqual([
      ['from', 'value'],
      ['from', 'value'],
    ])
  })

  it.each<[content: string, message: string]>([
    ['', 'it is not JSON: Unexpected end of JSON input'],
    ['{"abi": [}', 'it is not JSON: Unexpected token \'}\', "{"abi": [}" is not valid JSON'],
    ['"0x6080"', 'it contains "0x6080", which is neither a list nor an object'],
    ['null', 'it contains null, which is neither a list nor an object'],
    ['{}', 'it contains an empty object'],
    ['{"bytecode": "0x", "name": 1}', 'it contains an object with bytecode, name and no "abi"'],
    ['{"abi": {}}', 'it contains an object whose "abi" is not a list but {}'],
    [
      '{"status":"0","message":"NOTOK","result":"Contract source code not verified"}',
      'its "result" is the text "Contract source code not verified"',
    ],
    ['{"result":[{"ABI":"Contract source code not verified"}]}', 'its "result[0].ABI" is the text "Contract source'],
    ['[]', 'it has 0 entries, and none of them is an event'],
    [JSON.stringify([view]), 'it has 1 entries, and none of them is an event'],
    ['[1]', 'its entry 0 is 1'],
    [
      JSON.stringify([view, { type: 'event', name: 'Odd', inputs: [{ type: 'uint257' }] }]),
      'its entry 1, the event "Odd"',
    ],
    [
      JSON.stringify([view, { type: 'event', name: 'Odd', inputs: [{ type: 'function' }] }]),
      'its entry 1, the event "Odd"',
    ],
    [JSON.stringify([view, { type: 'event', inputs: [] }]), 'its entry 1, the event undefined, cannot be read'],
    ['["event Odd(uint256"]', 'its entry 0, the event "event Odd(uint256", cannot be read'],
    [
      JSON.stringify(['event Odd(uint256 indexed a, uint256 b)', 'event Odd(uint256 a, uint256 indexed b)']),
      'event Odd(uint256 indexed a, uint256 b) and event Odd(uint256 a, uint256 indexed b) cannot be distinguished in a log',
    ],
  ])('refuses %s', async (content, message) => {
    const file = await written(content)
    await expect(readAbi(file)).rejects.toMatchObject({
      code: 'invalid_abi',
      message: expect.stringContaining(`${file} has no usable ABI: ${message}`),
    })
  })

  it('names a file that does not exist', async () => {
    const file = join(folder, 'none.json')
    await expect(readAbi(file)).rejects.toMatchObject({
      code: 'invalid_abi',
      message: expect.stringContaining(`${file} cannot be read: ENOENT`),
    })
  })
})

async function written(text: string, name = 'Token.json'): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}
