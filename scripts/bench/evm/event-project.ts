import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { connectorCommand, repository } from './connector-command.ts'

export interface EventProject extends AsyncDisposable {
  readonly folder: string
}

const transferInputs = [
  { name: 'from', type: 'address', indexed: true },
  { name: 'to', type: 'address', indexed: true },
  { name: 'value', type: 'uint256', indexed: false },
]

/** ERC-20 `Transfer`, as compilers write it. */
export const transferAbi: readonly object[] = [{ type: 'event', name: 'Transfer', inputs: transferInputs }]

/** A project of the template `evm-events` for the transfers of a token, as a user gets it. */
export async function makeEventProject(token: string): Promise<EventProject> {
  const parent = await mkdtemp(join(tmpdir(), 'headrace-bench-'))
  const folder = join(parent, 'token')
  const abi = join(parent, 'Token.json')
  await writeFile(abi, JSON.stringify(transferAbi))
  const from = ['--template', 'evm-events', '--abi', abi, '--address', token, '--owner', 'bench']
  await execa(process.execPath, [connectorCommand, 'new', folder, ...from, '--no-install', '--yes', '--json'])
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await execa(process.execPath, [connectorCommand, 'codegen', folder])
  return { folder, [Symbol.asyncDispose]: () => rm(parent, { recursive: true }) }
}
