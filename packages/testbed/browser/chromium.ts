import { existsSync } from 'node:fs'
import type { LaunchOptions } from 'playwright-core'

const executablePath = '/usr/bin/chromium'
const switches = [
  'headless',
  'no-sandbox',
  'no-first-run',
  'disable-gpu',
  'disable-quic',
  'disable-sync',
  'disable-background-networking',
  'disable-component-update',
]

/** How to launch Debian's Chromium, without requests of its own. */
export const launchOptions: LaunchOptions = { executablePath, args: switches.map((name) => `--${name}`) }

/** Why there is no Chromium. */
export function missingChromium(): string | undefined {
  return existsSync(executablePath) ? undefined : `there is no ${executablePath}`
}
