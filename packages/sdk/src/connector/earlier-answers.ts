/** A request over HTTP: all that its answer depends on. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer over HTTP. */
export interface HttpAnswer {
  readonly status: number
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** While a connector is developed: the answers that it got before it was started again. */
export interface EarlierAnswers {
  /**
   * Answers a request with what was answered before, once; else by `send`, of which a good answer is kept for the next
   * start. What is neither a GET nor a JSON-RPC call that only reads is always sent.
   */
  answer(request: HttpRequest, send: () => Promise<HttpAnswer>): Promise<HttpAnswer>
}
