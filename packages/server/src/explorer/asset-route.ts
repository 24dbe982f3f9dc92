import type { FastifyInstance } from 'fastify'
import type { Limits } from '../options/limits.ts'
import { routeOutsideApi } from '../rest/app.ts'
import { pathNotFound } from '../rest/problem.ts'
import type { Page } from './load-page.ts'
import { sendFile } from './send-file.ts'

export function addAssetRoute(app: FastifyInstance, { assets }: Page, { stallMs }: Limits): void {
  routeOutsideApi<{ name: string }>(app, '/assets/:name', async ({ params }, reply) => {
    const file = assets.get(params.name)
    if (!file) throw pathNotFound()
    return sendFile(reply.headers(assetHeaders), file, stallMs)
  })
}

const assetHeaders = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Origin, Accept-Encoding',
}
