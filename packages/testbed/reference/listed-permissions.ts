import type { Grant } from '../kafka/security/access-control.ts'
import type { ReferencePage } from './reference-page.ts'

/** The permissions on named resources that kafka.md lists for a role. */
export function listedPermissions(page: ReferencePage, who: string): Grant[] {
  const rows = page.rows('Permissions', 'who').filter((row) => row[0] === who)
  if (rows.length === 0) throw new Error(`The page lists no permissions for "${who}".`)
  return rows.flatMap(([, resource, operations]) => {
    const [, kind, names] = /^(topic|transactional id)s? (.*)$/.exec(resource!) ?? []
    if (names === undefined) return []
    return operations!.split(', ').flatMap((word) => {
      const operation = word as Grant['operation']
      return names
        .split(', ')
        .map((name): Grant => (kind === 'topic' ? { operation, topic: name } : { operation, transactionalId: name }))
    })
  })
}
