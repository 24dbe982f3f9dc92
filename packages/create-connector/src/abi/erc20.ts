import type { AbiEntries } from './find-entries.ts'

/** ERC-20, the token standard: what a project is made from that was given no ABI. */
export const erc20: AbiEntries = {
  contractName: 'erc20',
  entries: [
    event('Transfer', ['from', 'to']),
    event('Approval', ['owner', 'spender']),
    view('totalSupply', []),
    view('balanceOf', ['account']),
    view('allowance', ['owner', 'spender']),
    change('transfer', ['to']),
    change('approve', ['spender']),
    change('transferFrom', ['from', 'to']),
  ],
}

/** All of them have addresses, and then an amount. */
function event(name: string, addresses: readonly string[]): object {
  const inputs = [...addresses.map((each) => ({ ...address(each), indexed: true })), { ...amount('value'), indexed: false }]
  return { type: 'event', name, inputs, anonymous: false }
}

function view(name: string, addresses: readonly string[]): object {
  return { type: 'function', name, inputs: addresses.map(address), outputs: [amount('')], stateMutability: 'view' }
}

function change(name: string, addresses: readonly string[]): object {
  const inputs = [...addresses.map(address), amount('value')]
  const outputs = [{ name: '', type: 'bool', internalType: 'bool' }]
  return { type: 'function', name, inputs, outputs, stateMutability: 'nonpayable' }
}

function address(name: string): object {
  return { name, type: 'address', internalType: 'address' }
}

function amount(name: string): object {
  return { name, type: 'uint256', internalType: 'uint256' }
}
