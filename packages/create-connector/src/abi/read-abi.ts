import { readFile } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import { UserError } from '@headrace/queue'
import type { Abi } from './abi.ts'
import { erc20 } from './erc20.ts'
import { findEntries } from './find-entries.ts'
import { invalidAbi } from './invalid-abi.ts'
import { readEvents } from './read-events.ts'

/**
 * Reads the ABI in a file: a list, or what compilers and block explorers make of it.
 *
 * @param file - Left out: the ABI of an ERC-20 token.
 * @throws {UserError} `invalid_abi`
 */
export async function readAbi(file: string | undefined): Promise<Abi> {
  const source = file ?? 'The ABI of ERC-20'
  const { entries, contractName } = file === undefined ? erc20 : findEntries(await readJson(file), file)
  return { source, contractName: contractName ?? nameOf(file), entries, events: readEvents(entries, source) }
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    const message = `${file} cannot be read: ${error.message}. --abi takes the path of a file that holds an ABI as JSON.`
    throw new UserError('invalid_abi', message, { cause: error })
  })
  try {
    return JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch (error) {
    throw invalidAbi(file, `it is no JSON: ${(error as Error).message}`)
  }
}

/** `out/Token.sol/Token.json` holds the contract `Token`. */
function nameOf(file: string | undefined): string | undefined {
  return file && basename(file, extname(file)).replace(/\.abi$/, '')
}
