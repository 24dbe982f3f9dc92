/** What a failed request tells about the endpoint that it was sent to. */
export type EndpointFailure =
  /** It asks for fewer requests: it is given them, and none for `retryAfterMs` where it says so. */
  | { readonly kind: 'overloaded'; readonly retryAfterMs?: number | undefined }
  /** It cannot be reached, or has failed: it has a rest, longer each time. */
  | { readonly kind: 'unavailable' }
  /** Its answer is missing or cannot be believed. Others are asked first for this one thing. */
  | { readonly kind: 'wrong' }
  /** It does not serve this client. It is not asked again. */
  | { readonly kind: 'refused' }
  /** Asking elsewhere or again changes nothing: the error is thrown at once. */
  | { readonly kind: 'final' }
