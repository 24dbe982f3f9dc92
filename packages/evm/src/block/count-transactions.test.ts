import { pino } from 'pino'
import { expect, test } from 'vitest'
import { InvalidAnswerError, RpcError } from '../errors.ts'
import type { RpcEndpoint } from '../rpc/endpoint.ts'
import { createConfirmEmpty, createCountTransactions } from './count-transactions.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}`
const signal = new AbortController().signal
const empty = (transactionsRoot: string | undefined) => ({ number: 5, hash: hash('a'), hashes: [], transactionsRoot })

/** Confirms empty blocks of an endpoint that counts `count` transactions. `undefined`: it lacks the method. */
function counting(count: string | null | undefined) {
  const asked: unknown[] = []
  const endpoint: RpcEndpoint = {
    name: 'https://node.example',
    async send(calls) {
      asked.push(calls)
      if (count === undefined)
        throw new RpcError('https://node.example', 'eth_count', { code: -32601, message: 'what?' })
      return { result: count, length: 3 }
    },
    sendForJson: () => Promise.reject(new Error('it is not asked for JSON')),
    close: async () => {},
  }
  const confirmEmpty = createConfirmEmpty(createCountTransactions(pino({ level: 'silent' })))
  return { asked, confirm: (root: string | undefined) => confirmEmpty(endpoint, empty(root), signal) }
}

test('an empty block with another root than that of an empty list is accepted if the endpoint counts no transactions, once per root', async () => {
  const { asked, confirm } = counting('0x0')
  await confirm(hash('c'))
  await confirm(hash('c'))
  expect(asked).toEqual([{ method: 'eth_getBlockTransactionCountByHash', params: [hash('a')] }])
  await confirm(hash('d'))
  expect(asked).toHaveLength(2)
})

test.each<[string, string | null | undefined]>([
  ['counts transactions', '0x2'],
  ['lacks the method', undefined],
])('an empty block with another root than that of an empty list is refused if the endpoint %s', async (_, count) => {
  const { confirm } = counting(count)
  await expect(confirm(hash('c'))).rejects.toThrow(InvalidAnswerError)
  await expect(confirm(hash('c'))).rejects.toThrow(InvalidAnswerError)
})

test.each<[string, string | undefined]>([
  ['the root of an empty list', '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'],
  ['a root of zero', hash('0')],
  ['no root', undefined],
])('the transactions of a block with %s are not counted', async (_, root) => {
  const { asked, confirm } = counting('0x2')
  await confirm(root)
  expect(asked).toEqual([])
})

test('only the latest confirmed roots are remembered', async () => {
  const { asked, confirm } = counting('0x0')
  for (let index = 1; index <= 20; index++) await confirm(`0x${String(index).padStart(64, '0')}`)
  await confirm(`0x${'20'.padStart(64, '0')}`)
  expect(asked).toHaveLength(20)
  await confirm(`0x${'1'.padStart(64, '0')}`)
  expect(asked).toHaveLength(21)
})
