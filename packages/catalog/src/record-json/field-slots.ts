/**
 * Positions of fields: two numbers for each field, in the order of its table. The first is 0 for an absent field, the
 * offset + 1 of its value (of a list or map: of its first tag), or -1 - n for the n-th of `merged`. The second is the
 * end offset.
 */
export class FieldSlots {
  places: Int32Array = new Int32Array(512)
  top = 0
  merged: Uint8Array[] = []

  /** Returns the index of the first slot. */
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
