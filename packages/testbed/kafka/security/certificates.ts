import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'

/** A certificate, its private key and the certificate of the authority that signed it, all in PEM. */
export interface Identity {
  readonly certificate: string
  readonly key: string
  readonly authority: string
}

/** An authority that signs certificates. */
export interface Authority {
  readonly certificate: string
  /** `subject` like `/CN=localhost`, `names` like `DNS:localhost,IP:127.0.0.1`. `days` may be negative: expired. */
  sign(options: { readonly subject: string; readonly names?: string; readonly days?: number }): Promise<Identity>
}

/** Creates an authority with openssl. All its files are in the folder. */
export async function createAuthority(folder: string, name: string): Promise<Authority> {
  const path = (file: string): string => join(folder, `${name}-${file}`)
  const keyPair = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc']
  const openssl = (...args: readonly string[]) => execa('openssl', args)
  const [key, certificatePath] = [path('ca.key'), path('ca.pem')]
  await openssl('req', '-x509', ...keyPair, '-keyout', key, '-out', certificatePath, '-subj', `/CN=${name}`)
  const certificate = await readFile(certificatePath, 'utf8')
  let signed = 0

  return {
    certificate,
    async sign({ subject, names, days = 30 }) {
      const file = (ending: string): string => path(`${signed}.${ending}`)
      signed++
      const [own, request, result, extensions] = [file('key'), file('csr'), file('pem'), file('ext')]
      await openssl('req', ...keyPair, '-keyout', own, '-out', request, '-subj', subject)
      await writeFile(extensions, names === undefined ? '' : `subjectAltName=${names}\n`)
      const by = ['-CA', certificatePath, '-CAkey', key, '-extfile', extensions, '-days', `${days}`]
      await openssl('x509', '-req', '-in', request, '-out', result, ...by)
      return { certificate: await readFile(result, 'utf8'), key: await readFile(own, 'utf8'), authority: certificate }
    },
  }
}
