import { join } from 'node:path'
import { defineConfig } from 'vite'

/** `npx vite -c packages/explorer/vite.config.ts` serves the page for development, with the data of this gateway. */
const gateway = process.env.HEADRACE_URL ?? 'http://127.0.0.1:8080'

export default defineConfig({
  root: join(import.meta.dirname, 'src/page'),
  resolve: { conditions: ['@headrace/source', 'module', 'browser', 'default'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: join(import.meta.dirname, 'dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    // The page allows no inline code and no data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    host: '127.0.0.1',
    proxy: {
      '/api': gateway,
      '/sse': gateway,
      '/ws': { target: gateway, ws: true },
    },
  },
})
