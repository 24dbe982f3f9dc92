import { execa } from 'execa'
import { firstLine } from '../skipped-tests.ts'

/** A network namespace of Linux, linked to this one. Programs in it share all but the network with this machine. */
export interface Machine {
  readonly namespace: string
  readonly address: string
  /**
   * Takes its link down or up. While it is down, connections to it get no answer: neither the end of a connection nor a
   * refusal.
   */
  setLink(state: 'down' | 'up'): Promise<void>
}

export interface Machines extends AsyncDisposable {
  readonly list: readonly Machine[]
}

/** Creates machines, each with its own link, or says why this machine cannot. Needs root and iproute2. */
export async function createMachines(count: number): Promise<Machines | { readonly unavailable: string }> {
  const created = new AsyncDisposableStack()
  try {
    const list: Machine[] = []
    for (let n = 0; n < count; n++) list.push(await createMachine(n, created))
    return { list, [Symbol.asyncDispose]: () => created.disposeAsync() }
  } catch (error) {
    await created.disposeAsync()
    return { unavailable: `no network namespace can be created: ${firstLine(error)}` }
  }
}

async function createMachine(n: number, created: AsyncDisposableStack): Promise<Machine> {
  // Of the network for tests of devices (RFC 2544), a /30 each. Process ids tell concurrent runs apart.
  const place = process.pid % 2048
  const subnet = `198.${18 + (place >> 10)}.${(place >> 2) & 255}`
  const first = (place & 3) * 64 + n * 4
  const [here, there] = [`${subnet}.${first + 1}`, `${subnet}.${first + 2}`]
  const namespace = `hr-${process.pid}-${n}`
  const [outer, inner] = [`hr${process.pid}o${n}`, `hr${process.pid}i${n}`]
  await ip('netns', 'add', namespace)
  // Its end of the link goes with it, and with that the other one.
  created.defer(() => ip('netns', 'delete', namespace))
  await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', namespace)
  await ip('address', 'add', `${here}/30`, 'dev', outer)
  await ip('link', 'set', outer, 'up')
  await ip('-n', namespace, 'address', 'add', `${there}/30`, 'dev', inner)
  const setLink = (state: 'down' | 'up') => ip('-n', namespace, 'link', 'set', inner, state)
  await setLink('up')
  return { namespace, address: there, setLink }
}

async function ip(...args: readonly string[]): Promise<void> {
  await execa('ip', args)
}
