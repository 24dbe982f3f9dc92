import { UserError } from '@headrace/queue'
import { Webhook } from 'standardwebhooks'

/** Returns the headers of one attempt. */
export type Sign = (id: string, body: string) => Record<string, string>

const minBytes = 24
const maxBytes = 64

/**
 * Signs with each of these secrets, as Standard Webhooks 1.0.0 defines it: the time is that of the attempt.
 *
 * @throws {UserError} `invalid_webhook_secret`. It does not contain the secret.
 */
export function createSigner(secrets: string): Sign {
  const webhooks = secrets.split(/\s+/).filter(Boolean).map(webhookOf)
  if (webhooks.length === 0) throw invalidSecret('There is none.')
  return (id, body) => {
    const now = new Date()
    return {
      'webhook-id': id,
      'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
      'webhook-signature': webhooks.map((webhook) => webhook.sign(id, now, body)).join(' '),
    }
  }
}

function webhookOf(secret: string): Webhook {
  const [, digits = ''] = /^whsec_(.+)$/.exec(secret) ?? []
  const bytes = Buffer.from(digits, 'base64')
  if (digits === '' || bytes.toString('base64') !== digits)
    throw invalidSecret('One does not begin with "whsec_", or its rest is not base64 with padding.')
  if (bytes.length < minBytes || bytes.length > maxBytes) throw invalidSecret(`One has ${bytes.length} bytes.`)
  return new Webhook(secret)
}

function invalidSecret(found: string): UserError {
  return new UserError(
    'invalid_webhook_secret',
    `The secret of a webhook must be "whsec_" and ${minBytes} to ${maxBytes} bytes in base64; several are separated by ` +
      `spaces. ${found} To make one: echo "whsec_$(openssl rand -base64 32)".`,
  )
}
