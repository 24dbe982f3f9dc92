import type { Endpoint } from '../api-definition/endpoint.ts'

export const upgradeEndpoint: Endpoint = {
  path: '/ws/v1',
  id: 'checkUpgrade',
  summary: 'What an upgrade to WebSocket would be refused with, else 426',
  description: 'Scripts in browsers do not see why an upgrade was refused: they can ask here.',
  access: 'stream',
  parameters: {},
  answer: undefined,
  refusals: ['upgrade_required', 'overloaded'],
}
