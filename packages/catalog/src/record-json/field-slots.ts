/**
 * Positions of the fields of the messages being rendered: two numbers for each field, in the order of its table.
 *
 * The first number is 0 for an absent field, otherwise the offset + 1 of its value (of a list or map: of its first
 * tag), or -1 - n if the value is the n-th of `merged`. The second number is the end offset.
 */
export class FieldSlots {
  places: Int32Array = new Int32Array(512)
  top = 0
  /** Message fields merged from several occurrences. */
  merged: Uint8Array[] = []

  /** Allocates slots for absent fields, and returns the index of the first. */
  take(fields: number): number {
    const base = this.top
    this.top += fields * 2
    if (this.top > this.places.length) this.#grow()
    const { places, top } = this
    // Faster than `fill` for few slots.
    for (let slot = base; slot < top; slot++) places[slot] = 0
    return base
  }

  release(base: number): void {
    this.top = base
  }

  reset(): void {
    this.top = 0
    if (this.merged.length > 0) this.merged = []
  }

  #grow(): void {
    const grown = new Int32Array(Math.max(this.top, this.places.length * 2))
    grown.set(this.places)
    this.places = grown
  }
}
