import { join } from 'node:path'
import type { SinkDefinition } from '@headrace/sink'
import { webhookSink } from '@headrace/sink/webhook'

type SinkOfPlace = (place: string) => SinkDefinition

/** Each place is a path of the receiver, and a folder for the cursors. */
export function webhookPlaces(url: string, secret: string, folder: string): SinkOfPlace {
  return (place) => webhookSink({ url: new URL(`/${place}`, url).href, secret, state: join(folder, place), batch: 100 })
}

// Parameters of a child process.
const { searchParams } = new URL(import.meta.url)
const [url, secret, folder] = ['url', 'secret', 'folder'].map((name) => searchParams.get(name) ?? '')
const sink: SinkOfPlace = webhookPlaces(url!, secret!, folder!)
// biome-ignore lint/style/noDefaultExport: child processes import it.
export default sink
