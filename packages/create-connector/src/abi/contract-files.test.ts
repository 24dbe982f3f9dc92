import { Interface } from 'ethers'
import { describe, expect, it, test } from 'vitest'
import type { ContractAnswers } from '../project/answers.ts'
import { fillIn } from '../template/template.ts'
import { checkAddress, chooseContractName, contractFiles } from './contract-files.ts'

const template = [
  {
    path: 'manifest.yaml',
    content: 'topics:\n{{topics}}\nconfig:\n{{addressDefault}}\n  x: {{contract}}\n{{other}}\n',
  },
  { path: '_env', content: 'A={{address}}' },
  { path: 'image.png', content: Uint8Array.of(1, 2) },
]

async function filesOf(contract: ContractAnswers): Promise<Record<string, string>> {
  const { tokens, files } = await contractFiles(contract)
  const filled = template.map(({ path, content }) => ({ path, content: fillIn(Buffer.from(content), tokens) }))
  return Object.fromEntries([...filled, ...files].map(({ path, content }) => [path, content.toString()]))
}

describe('contractFiles', () => {
  it('makes all files of the default contract', async () => {
    const files = await filesOf({})
    expect(Object.keys(files)).toEqual([
      ...['manifest.yaml', '_env', 'image.png'],
      ...['abi/erc20.json', 'proto/erc20.proto', 'src/events.ts', 'recorded/events.json'],
    ])
    expect(files['manifest.yaml']).toBe(
      `topics:
  - message: Transfer
    name: erc20_Transfer
    key: TransactionHash
    bytes: hex
  - message: Approval
    name: erc20_Approval
    key: TransactionHash
    bytes: hex
config:
  x: erc20
{{other}}
`,
    )
    expect(files._env).toBe(`A=0x${'0'.repeat(40)}`)
    expect(new Interface(files['abi/erc20.json']!).getEvent('Transfer')).not.toBeNull()
  })

  it('keeps the whole ABI, whichever events are chosen', async () => {
    const files = await filesOf({ events: 'Approval', contract: 'Token' })
    expect(files['src/events.ts']).toContain(
      "{\n  Approval: 'event Approval(address indexed owner, address indexed spender, uint256 value)',\n}",
    )
    expect(files['proto/Token.proto']).not.toContain('message Transfer')
    expect(JSON.parse(files['abi/Token.json']!)).toHaveLength(8)
  })

  it('sets the address in its checksummed form', async () => {
    const files = await filesOf({ address: '0xdac17f958d2ee523a2206206994597c13d831ec7' })
    expect(files['manifest.yaml']).toContain('      default: "0xdAC17F958D2ee523a2206206994597C13D831ec7"\n')
    expect(files._env).toBe('A=0xdAC17F958D2ee523a2206206994597C13D831ec7')
    const logged = files['recorded/events.json']!.matchAll(/"address":"(0x[0-9a-f]{40})"/g)
    const addresses = new Set(Array.from(logged, ([, address]) => address))
    expect(addresses).toContain('0xdac17f958d2ee523a2206206994597c13d831ec7')
    expect(addresses.size).toBe(2)
  })

  it('makes the same recording each time', async () => {
    const [first, second] = await Promise.all([filesOf({}), filesOf({})])
    expect(first['recorded/events.json']).toBe(second['recorded/events.json'])
  })

  it.each<[ContractAnswers, code: string]>([
    [{ abi: '/none.json' }, 'invalid_abi'],
    [{ events: 'Transfers' }, 'unknown_event'],
    [{ address: '0x1' }, 'invalid_address'],
    [{ contract: '1' }, 'invalid_contract'],
  ])('refuses %j', async (contract, code) => {
    await expect(filesOf(contract)).rejects.toMatchObject({ code })
  })
})

const checksummed = '0xdAC17F958D2ee523a2206206994597C13D831ec7'

test.each([checksummed, checksummed.toLowerCase(), `0x${checksummed.slice(2).toUpperCase()}`])(
  'accepts the address %s',
  (address) => {
    expect(checkAddress(address)).toBe(checksummed)
  },
)

test.each([
  ['', 'it is not hex'],
  ['dac17f958d2ee523a2206206994597c13d831ec7', 'it is not hex'],
  ['vitalik.eth', 'it is not hex'],
  ['0xdac17f958d2ee523a2206206994597c13d831ec', 'it has 39 hex digits'],
  ['0xdac17f958d2ee523a2206206994597c13d831ec70', 'it has 41 hex digits'],
  ['0xdac17f958d2ee523a2206206994597c13d831ecg', 'it is not hex'],
  [checksummed.replace('dAC', 'DAC'), 'its checksum (EIP-55) is wrong'],
])('refuses the address "%s"', (address, message) => {
  expect(() => checkAddress(address)).toThrow(
    expect.objectContaining({ code: 'invalid_address', message: expect.stringContaining(message) }),
  )
})

test.each([
  [undefined, 'ERC20', 'ERC20'],
  [undefined, 'my token (v2).final', 'my-token-v2-final'],
  [undefined, '1inch_', 'inch'],
  [undefined, '€', 'contract'],
  [undefined, undefined, 'contract'],
  ['usd-coin_2', 'ERC20', 'usd-coin_2'],
])('with the option %s and the ABI of %s, the contract is named %s', (option, ofAbi, name) => {
  expect(chooseContractName(option, ofAbi)).toBe(name)
})

test.each(['', '2x', 'a.b', 'a b', 'schema', 'Schema', '-a'])('refuses the contract name "%s"', (name) => {
  expect(() => chooseContractName(name, undefined)).toThrow(expect.objectContaining({ code: 'invalid_contract' }))
})
