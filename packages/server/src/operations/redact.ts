/** Whatever looks like a key, however it is written. */
const keyLike = /hr[^0-9A-Za-z]{0,3}(live|test)[^0-9A-Za-z]{0,3}[0-9A-Za-z]+/gi
const controlCharacters = /\p{Cc}/gu

/** A request target as it may be logged: the values of `api_key`, and whatever else looks like a key, taken out. */
export function redactUrl(url: string): string {
  const cut = url.indexOf('?')
  const path = redactText(cut < 0 ? url : url.slice(0, cut))
  if (cut < 0) return path
  const parts = url
    .slice(cut + 1)
    .split('&')
    .map((part) => {
      const text = redactText(part.replaceAll('+', ' '))
      const [name = ''] = text.split('=', 1)
      return name.toLowerCase() === 'api_key' ? `${name}=…` : text
    })
  return `${path}?${parts.join('&')}`
}

function redactText(text: string): string {
  return decode(text).replace(controlCharacters, '').replace(keyLike, 'hr_$1_…')
}

/** Clients encode more than once by mistake, and a key is to be seen then too. */
function decode(text: string): string {
  let decoded = text
  for (let round = 0; round < 3 && decoded.includes('%'); round++)
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded
}
