/** Offers a file to the reader, under a name that every file system allows. */
export function save(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name.replace(/[^\w.-]/g, '_')
  link.click()
  // Not at once: the browser reads it after the click.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
