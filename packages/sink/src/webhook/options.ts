export interface WebhookSinkOptions {
  /** `https://host/path`. Without a user or a password. */
  readonly url: string
  /**
   * `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks defines it. During a rotation two, separated by a space:
   * each request then has a signature of each.
   */
  readonly secret: string
  /**
   * A folder on a local disk for the cursors. It is created, and must be kept: without it, all records are sent again.
   * Default `.headrace/sinks`.
   */
  readonly state?: string
  /**
   * Records of one partition in a request, 1 to 1,000. Default 1. Above 1, `data` of a body is a list of records, also if
   * it has one.
   */
  readonly batch?: number
  /** For a request and its answer, in ms, 1 to 300,000. Default 15,000. */
  readonly timeoutMs?: number
}
