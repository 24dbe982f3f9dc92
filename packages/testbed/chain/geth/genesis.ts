import { contracts } from '../contracts.ts'

/** The newest fork that is active from the first block on. */
export type Fork = 'prague' | 'osaka'

/** A genesis block in which these accounts are rich. */
export function genesis(chainId: number, fork: Fork, accounts: readonly string[]): Record<string, unknown> {
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5007716 }
  const balance = `0x${(10n ** 27n).toString(16)}`
  return {
    config: {
      chainId,
      ...Object.fromEntries(forkBlocks.map((fork) => [`${fork}Block`, 0])),
      ...{ terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0, pragueTime: 0 },
      ...(fork === 'osaka' && { osakaTime: 0 }),
      blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
    },
    alloc: {
      ...Object.fromEntries(accounts.map((account) => [account, { balance }])),
      ...Object.fromEntries(Object.values(contracts).map(({ address, code }) => [address, { code, balance: '0x0' }])),
      ...Object.fromEntries(requestContracts.map((address) => [address, { code: stop, balance: '0x0' }])),
    },
    ...{
      gasLimit: `0x${gasLimit.toString(16)}`,
      baseFeePerGas: '0x3b9aca00',
      difficulty: '0x0',
      timestamp: '0x65000000',
    },
  }
}

const gasLimit = 60_000_000

const forkBlocks = [
  ...['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'],
  ...['muirGlacier', 'berlin', 'london', 'arrowGlacier', 'grayGlacier'],
]

/** System contracts that every block calls for requests (EIP-7002, EIP-7251). These return none. */
const requestContracts = ['0x00000961Ef480Eb55e80D19ad83579A64c007002', '0x0000BBdDc7CE488642fb579F8B00f3a590007251']
const stop = '0x00'
