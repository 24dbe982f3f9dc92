export interface CodeToken {
  /** Names a class of `code-block.css`, if it has a colour. */
  readonly kind: string
  readonly text: string
}
