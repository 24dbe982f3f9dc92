import type { VNode } from 'preact'
export function TopicView({ name }: { readonly name: string }): VNode {
  return <p>{name}</p>
}
