import { type Refusal, refusalError } from '../service/service-errors.ts'

export interface RpcNotification {
  readonly method: string
  readonly params: unknown
}

export interface RpcClient {
  /** @throws {ClientError} the refusal. The reason of `end`, if it is called before the answer. */
  call<Result>(method: string, params: object): Promise<Result>
  read(text: string): RpcNotification | undefined
  end(reason: unknown): void
}

interface RpcAnswer {
  readonly id: number | null
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Partial<Refusal> }
}

interface PendingCall {
  resolve(result: unknown): void
  reject(reason: unknown): void
}

export function createRpcClient(send: (text: string) => void): RpcClient {
  const pending = new Map<number, PendingCall>()
  let calls = 0
  return {
    call<Result>(method: string, params: object) {
      const id = ++calls
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      pending.set(id, { resolve, reject })
      send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return promise as Promise<Result>
    },
    read(text) {
      const message = JSON.parse(text) as RpcAnswer | RpcNotification
      if ('method' in message) return message
      settle(message)
      return undefined
    },
    end(reason) {
      for (const { reject } of pending.values()) reject(reason)
      pending.clear()
    },
  }

  function settle({ id, result, error }: RpcAnswer): void {
    const call = pending.get(id ?? 0)
    pending.delete(id ?? 0)
    if (error) call?.reject(refusalError({ code: 'internal', ...error.data, detail: error.message }))
    else call?.resolve(result)
  }
}
