import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loggingProperties, type NodePorts, serverProperties } from './server-properties.ts'

export interface ClusterFilesOptions {
  readonly folder: string
  /** Of every node, by id. */
  readonly ports: ReadonlyMap<number, NodePorts>
  /** Ports of the further listeners of a single node, by name. */
  readonly listeners: ReadonlyMap<string, number>
  /** Where clients find each node, in order of their id. Default: its own port. */
  readonly advertisedPorts: readonly number[]
  readonly listenAddress: string
  readonly properties: Readonly<Record<string, string>>
}

export interface ClusterFiles {
  /** Path of the `server.properties` of each node, by id. */
  readonly properties: ReadonlyMap<number, string>
  /** Path of the `log4j2.properties`. */
  readonly logging: string
}

/** Writes what the servers of a cluster are configured with. Each node gets a folder of its own for its data. */
export async function writeClusterFiles(options: ClusterFilesOptions): Promise<ClusterFiles> {
  const { folder, ports, listeners, advertisedPorts, listenAddress, properties: more } = options
  const logging = join(folder, 'log4j2.properties')
  await writeFile(logging, loggingProperties)
  const properties = new Map<number, string>()
  for (const [node, { clients }] of ports) {
    const nodeFolder = join(folder, `node-${node}`)
    await mkdir(nodeFolder)
    const path = join(nodeFolder, 'server.properties')
    const dataFolder = join(nodeFolder, 'data')
    const content = {
      node,
      ports,
      listeners,
      advertisedPort: advertisedPorts[node - 1] ?? clients,
      listenAddress,
      dataFolder,
      more,
    }
    await writeFile(path, serverProperties(content))
    properties.set(node, path)
  }
  return { properties, logging }
}
