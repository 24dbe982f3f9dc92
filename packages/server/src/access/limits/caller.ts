/** Who is limited: an API key with all its tokens, or an address from which callers send no key. */
export interface Caller {
  readonly by: 'key' | 'ip'
  /** Unique among all callers. */
  readonly id: string
  /** Requests per second. */
  readonly rate: number
  /** Requests at once. */
  readonly burst: number
  /** Open connections. */
  readonly connections: number
}
