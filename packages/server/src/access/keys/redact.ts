import { isKeyBody, keyBodyLength } from './key-format.ts'

const keyLike = /hr[^0-9A-Za-z]{0,3}(live|test)[^0-9A-Za-z]{0,3}[0-9A-Za-z]+/gi
/** May be a key without its prefix. */
const bodyLike = new RegExp(`[0-9A-Za-z]{${keyBodyLength},}`, 'g')
/** Three parts with a signature. It begins at the end of other characters, so that a long text takes linear time. */
const tokenLike = /(?<![\w-])[\w-]{20,}\.[\w-]{20,}\.[\w-]{40,}/g
const controlCharacters = /\p{Cc}/gu

export function redactUrl(url: string): string {
  const cut = url.indexOf('?')
  const path = removeKeys(decode(cut < 0 ? url : url.slice(0, cut)))
  if (cut < 0) return path
  const parts = url
    .slice(cut + 1)
    .split('&')
    .map((part) => {
      const text = removeKeys(decode(part.replaceAll('+', ' ')))
      const [name = ''] = text.split('=', 1)
      return name.toLowerCase() === 'api_key' ? `${name}=…` : text
    })
  return `${path}?${parts.join('&')}`
}

export function redactText(text: string): string {
  const decoded = decode(text)
  const hidden = removeKeys(decoded)
  return hidden === decoded ? text : hidden
}

function removeKeys(text: string): string {
  const withoutTokens = text.replace(tokenLike, 'ey…')
  return withoutTokens.replace(keyLike, 'hr_$1_…').replace(bodyLike, (run) => {
    // Only at both ends: a checksum at every position of a long run would take too long.
    if (isKeyBody(run.slice(-keyBodyLength))) return `${run.slice(0, -keyBodyLength)}…`
    return isKeyBody(run.slice(0, keyBodyLength)) ? `…${run.slice(keyBodyLength)}` : run
  })
}

/** Up to three rounds, since clients encode twice by mistake. */
function decode(text: string): string {
  let decoded = text
  for (let round = 0; round < 3 && decoded.includes('%'); round++)
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded.replace(controlCharacters, '')
}
