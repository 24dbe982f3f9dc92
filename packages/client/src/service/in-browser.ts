/** Whether this runs in a page or in a worker of one: there, a socket takes no headers, and fetch asks before it sends some. */
export function inBrowser(): boolean {
  return 'document' in globalThis || 'WorkerGlobalScope' in globalThis
}
