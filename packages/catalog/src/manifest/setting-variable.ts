/** The environment variable of a setting: `pollSeconds` is `CONNECTOR_POLL_SECONDS`. */
export function settingVariable(name: string): string {
  return `CONNECTOR_${name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase()}`
}
