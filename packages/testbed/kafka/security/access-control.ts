import { setTimeout as delay } from 'node:timers/promises'
import {
  type AclEntry,
  AclOperationTypes,
  AclPermissionTypes,
  AclResourceTypes,
  Kafka,
  logLevel,
  ResourcePatternTypes,
} from 'kafkajs'

/** A permission, as Kafka names it: `{ operation: 'WRITE', topic: 'x' }`. A name ending in `*` is a prefix. */
export type Grant =
  | { readonly operation: Operation; readonly topic: string }
  | { readonly operation: Operation; readonly transactionalId: string }
  | { readonly operation: Operation; readonly cluster: true }

type Operation = keyof typeof AclOperationTypes

/** The permissions of a principal. */
export interface AccessControl {
  /** Resolves when the change is in effect. */
  grant(...grants: readonly Grant[]): Promise<void>
  revoke(...grants: readonly Grant[]): Promise<void>
  revokeAll(): Promise<void>
  close(): Promise<void>
}

/** `bootstrap`: a listener at which every client may change permissions. */
export async function openAccessControl(bootstrap: string, principal: string): Promise<AccessControl> {
  const admin = new Kafka({ brokers: [bootstrap], logLevel: logLevel.ERROR }).admin()
  await admin.connect()
  const all = {
    principal,
    host: '*',
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ANY,
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.ANY,
  }

  /** The controller makes a change, and the broker applies it a moment later. */
  async function waitUntil(areGranted: boolean, entries: readonly AclEntry[]): Promise<void> {
    const deadline = performance.now() + 10_000
    for (;;) {
      const { resources } = await admin.describeAcls(all)
      const isGranted = (entry: AclEntry): boolean =>
        resources.some(
          (resource) =>
            resource.resourceType === entry.resourceType &&
            resource.resourceName === entry.resourceName &&
            resource.resourcePatternType === entry.resourcePatternType &&
            resource.acls.some(({ operation }) => operation === entry.operation),
        )
      if (entries.every((entry) => isGranted(entry) === areGranted)) return
      if (performance.now() > deadline) throw new Error('The broker did not apply a change of permissions within 10 s.')
      await delay(20)
    }
  }

  return {
    async grant(...grants) {
      const acl = grants.map((grant) => entryOf(grant, principal))
      await admin.createAcls({ acl })
      await waitUntil(true, acl)
    },
    async revoke(...grants) {
      const filters = grants.map((grant) => entryOf(grant, principal))
      await admin.deleteAcls({ filters })
      await waitUntil(false, filters)
    },
    async revokeAll() {
      const { filterResponses } = await admin.deleteAcls({ filters: [all] })
      const revoked = filterResponses.flatMap(({ matchingAcls }) => matchingAcls)
      await waitUntil(false, revoked)
    },
    close: () => admin.disconnect(),
  }
}

function entryOf(grant: Grant, principal: string): AclEntry {
  const shared = { principal, host: '*', permissionType: AclPermissionTypes.ALLOW }
  const operation = AclOperationTypes[grant.operation]
  const [resourceType, name] =
    'topic' in grant
      ? [AclResourceTypes.TOPIC, grant.topic]
      : 'transactionalId' in grant
        ? [AclResourceTypes.TRANSACTIONAL_ID, grant.transactionalId]
        : [AclResourceTypes.CLUSTER, 'kafka-cluster']
  const prefixed = name.endsWith('*')
  return {
    ...shared,
    operation,
    resourceType,
    resourceName: prefixed ? name.slice(0, -1) : name,
    resourcePatternType: prefixed ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  }
}
