/** Keeps each value as long as its key is in memory. */
export function memoize<Key extends object, Value extends object>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const known = values.get(key)
    if (known) return known
    const made = make(key)
    values.set(key, made)
    return made
  }
}
