import { readFile } from 'node:fs/promises'
import { execa } from 'execa'
import { environment } from '../environment.ts'

/** The registry that npm uses on this machine, and how to connect to it. */
export interface Upstream {
  readonly url: string
  /** Trusted certificates in PEM. */
  readonly ca?: readonly string[]
  readonly proxy?: string
  readonly noproxy?: string
  readonly authorization?: string
}

interface NpmConfig {
  readonly registry: string
  readonly ca: string | readonly string[] | null
  readonly cafile?: string | null
  readonly proxy: string | null
  readonly 'https-proxy': string | null
  readonly noproxy: readonly string[]
  readonly userconfig: string
  readonly globalconfig: string
}

export async function findUpstream(): Promise<Upstream> {
  const { stdout } = await execa('npm', ['config', 'list', '--json'])
  const config = JSON.parse(stdout) as NpmConfig
  const proxy = config['https-proxy'] ?? config.proxy
  const noproxy = config.noproxy.filter(Boolean).join(',')
  const ca = [config.ca ?? [], config.cafile ? await readFile(config.cafile, 'utf8') : []].flat()
  const files = await Promise.all([config.userconfig, config.globalconfig].map(readIfThere))
  const authorization = findAuthorization(config.registry, files.join('\n'))
  return {
    url: config.registry,
    ...(ca.length > 0 && { ca }),
    ...(proxy && { proxy }),
    ...(noproxy && { noproxy }),
    ...(authorization && { authorization }),
  }
}

/** npm does not print credentials, so they are read from its configuration files. */
export function findAuthorization(registry: string, npmrc: string): string | undefined {
  const scope = registry.replace(/^https?:/, '').replace(/\/*$/, '/')
  const value = (name: string) =>
    npmrc
      .split('\n')
      .map((line) => line.split('=', 1)[0]!.trim() === `${scope}:${name}` && line.slice(line.indexOf('=') + 1).trim())
      .find(Boolean)
  const token = value('_authToken')
  const basic = value('_auth')
  if (token) return `Bearer ${withVariables(token)}`
  return basic ? `Basic ${withVariables(basic)}` : undefined
}

const withVariables = (text: string) =>
  text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => environment.outside[name] ?? whole)

const readIfThere = (file: string) => readFile(file, 'utf8').catch(() => '')
