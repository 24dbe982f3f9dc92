import { Interface } from 'ethers'
import type { AbiEntries } from './find-entries.ts'

const standard = new Interface([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
])

/** ERC-20, the token standard: what a project is made from that was given no ABI. */
export const erc20: AbiEntries = { contractName: 'erc20', entries: JSON.parse(standard.formatJson()) }
