const keyLike = /hr_(live|test)_[0-9A-Za-z]+/g

/** A request target as it may be logged: the values of `api_key`, and whatever else looks like a key, taken out. */
export function redactUrl(url: string): string {
  const cut = url.indexOf('?')
  const path = (cut < 0 ? url : url.slice(0, cut)).replace(keyLike, 'hr_$1_…')
  if (cut < 0) return path
  const query = new URLSearchParams(url.slice(cut + 1))
  const parts = [...query].map(([name, value]) => {
    const shown = name.toLowerCase() === 'api_key' ? '…' : value
    return `${name}=${shown}`.replace(keyLike, 'hr_$1_…')
  })
  return `${path}?${parts.join('&')}`
}
