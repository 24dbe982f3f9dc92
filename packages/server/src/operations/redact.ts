import { isKeyBody, keyBodyLength } from '../access/keys/key-format.ts'

/** Whatever looks like a key, however it is written. */
const keyLike = /hr[^0-9A-Za-z]{0,3}(live|test)[^0-9A-Za-z]{0,3}[0-9A-Za-z]+/gi
/** What may be a key without its prefix. */
const bodyLike = new RegExp(`[0-9A-Za-z]{${keyBodyLength},}`, 'g')
const controlCharacters = /\p{Cc}/gu

/** A request target as it may be logged: the values of `api_key`, and whatever else looks like a key, taken out. */
export function redactUrl(url: string): string {
  const cut = url.indexOf('?')
  const path = hideKeys(plain(cut < 0 ? url : url.slice(0, cut)))
  if (cut < 0) return path
  const parts = url
    .slice(cut + 1)
    .split('&')
    .map((part) => {
      const text = hideKeys(plain(part.replaceAll('+', ' ')))
      const [name = ''] = text.split('=', 1)
      return name.toLowerCase() === 'api_key' ? `${name}=…` : text
    })
  return `${path}?${parts.join('&')}`
}

/** A text as it may be shown: without whatever looks like a key. One without keys stays as it is. */
export function redactText(text: string): string {
  const decoded = plain(text)
  const hidden = hideKeys(decoded)
  return hidden === decoded ? text : hidden
}

function hideKeys(text: string): string {
  return text.replace(keyLike, 'hr_$1_…').replace(bodyLike, (run) => {
    // Only at its ends: the checksum of every part of a long one would take too long.
    if (isKeyBody(run.slice(-keyBodyLength))) return `${run.slice(0, -keyBodyLength)}…`
    return isKeyBody(run.slice(0, keyBodyLength)) ? `…${run.slice(keyBodyLength)}` : run
  })
}

/** A text decoded and without control characters. Clients encode more than once by mistake: a key is found then too. */
function plain(text: string): string {
  let decoded = text
  for (let round = 0; round < 3 && decoded.includes('%'); round++)
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded.replace(controlCharacters, '')
}
