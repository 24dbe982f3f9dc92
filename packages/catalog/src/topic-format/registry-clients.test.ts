import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createRegistryClients } from './registry-clients.ts'

test('a registry that is named without credentials gets those that are known for it', async () => {
  const seen: (string | undefined)[] = []
  const server = createServer(({ headers }, response) => {
    seen.push(headers.authorization)
    response.end('{"schemaType": "JSON", "schema": "{}"}')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const [plain, known, other] = ['', 'known:1@', 'other:2@'].map((user) => `http://${user}127.0.0.1:${port}`)
  try {
    const clientOf = createRegistryClients({ schemaRegistries: [known!] })
    expect(clientOf(`${plain}/`)).toBe(clientOf(plain!))
    await clientOf(plain!).readById(1)
    await createRegistryClients({ schemaRegistries: [known!] })(other!).readById(1)
    await createRegistryClients()(plain!).readById(1)
    const basic = (user: string) => `Basic ${Buffer.from(user).toString('base64')}`
    expect(seen).toEqual([basic('known:1'), basic('other:2'), undefined])
  } finally {
    server.close()
  }
})
