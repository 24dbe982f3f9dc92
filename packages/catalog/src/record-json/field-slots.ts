/**
 * Where the fields of the messages being rendered lie: two numbers a field, in the order of its table.
 *
 * First number: 0 for an absent field, else the offset + 1 of its value (of a list or map: of its first tag), or -1 - n
 * where the value is the n-th of `merged`. Second number: the offset after it.
 */
export class FieldSlots {
  places: Int32Array = new Int32Array(512)
  top = 0
  /** Values that had to be put together from several occurrences of a message field. */
  merged: Uint8Array[] = []

  /** Takes slots for as many fields, all absent, and returns the index of the first. */
  take(fields: number): number {
    const base = this.top
    this.top += fields * 2
    if (this.top > this.places.length) this.#grow()
    const { places, top } = this
    // Faster than fill for the few that there are.
    for (let slot = base; slot < top; slot++) places[slot] = 0
    return base
  }

  /** Gives the slots from an index on back. */
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
