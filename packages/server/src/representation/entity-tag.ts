import { hash } from 'node:crypto'
import type { ContentCoding } from './content-coding.ts'

/** 128 bits of SHA-256, in hex. */
export function digestOf(body: Uint8Array): string {
  return hash('sha256', body).slice(0, 32)
}

/** Strong, so each coding has its own (RFC 9110, section 8.8.3.3). */
export function entityTag(digest: string, coding: ContentCoding | undefined): string {
  return coding === undefined ? `"${digest}"` : `"${digest}-${coding}"`
}

/** Whether `If-None-Match` names an entity tag, by weak comparison (RFC 9110, section 13.1.2). */
export function namesTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return Array.from(ifNoneMatch.matchAll(/"[^"]*"/g), ([named]) => named).includes(tag)
}
