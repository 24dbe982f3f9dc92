import { expect, test } from 'vitest'
import type { Transaction } from './queue.ts'
import { createTransactionStates } from './transaction-states.ts'

/** Work that records its calls. */
function createWork(calls: string[], commit: () => Promise<void> = async () => {}): Transaction {
  return {
    send: () => calls.push('send'),
    drain: async () => {},
    async commit() {
      calls.push('commit')
      await commit()
    },
    async abort() {
      calls.push('abort')
    },
  }
}

const record = { topic: 't', key: null, value: null, time: 0 }

test('a transaction begins only after the previous one has ended', async () => {
  const states = createTransactionStates('writer')
  const calls: string[] = []
  const first = states.begin(() => createWork(calls))
  expect(() => states.begin(() => createWork(calls))).toThrow(TypeError)
  await first.commit()
  await states.begin(() => createWork(calls)).abort()
  expect(calls).toEqual(['commit', 'abort'])
})

test('an ended transaction accepts no call', async () => {
  const transaction = createTransactionStates('writer').begin(() => createWork([]))
  await transaction.commit()
  expect(() => transaction.send(record)).toThrow('The transaction is ended.')
  await expect(transaction.commit()).rejects.toThrow(TypeError)
  await expect(transaction.abort()).rejects.toThrow(TypeError)
})

test('a refused transaction can only be aborted', async () => {
  const states = createTransactionStates('writer')
  const calls: string[] = []
  const refuse = () => Promise.reject(new Error('refused by the engine'))
  const transaction = states.begin(() => createWork(calls, refuse))
  transaction.send(record)
  await expect(transaction.commit()).rejects.toThrow('refused by the engine')
  expect(() => transaction.send(record)).toThrow('The transaction is refused.')
  await expect(transaction.commit()).rejects.toThrow('The transaction is refused.')
  await transaction.abort()
  expect(calls).toEqual(['send', 'commit', 'abort'])
  states.begin(() => createWork(calls))
})

test('close waits for a running commit', async () => {
  const states = createTransactionStates('writer')
  const { promise, resolve } = Promise.withResolvers<void>()
  const calls: string[] = []
  const committing = states.begin(() => createWork(calls, () => promise)).commit()
  const closing = states.close().then(() => calls.push('closed'))
  resolve()
  await Promise.all([committing, closing])
  expect(calls).toEqual(['commit', 'closed'])
})

test('close aborts an open transaction, and no other begins', async () => {
  const states = createTransactionStates('writer')
  const calls: string[] = []
  states.begin(() => createWork(calls))
  await Promise.all([states.close(), states.close()])
  expect(calls).toEqual(['abort'])
  expect(() => states.begin(() => createWork(calls))).toThrow('The writer "writer" is closed.')
})
