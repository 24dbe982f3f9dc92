import type { Unit } from '../../connector/connector.ts'

/** What a source does next. */
export type Step =
  | { readonly kind: 'unit'; readonly unit: Unit }
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'interrupted' }
