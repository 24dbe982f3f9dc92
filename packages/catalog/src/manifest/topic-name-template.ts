/** In order, each once. */
export function settingsIn(template: string): string[] {
  return [...new Set([...template.matchAll(settingPattern)].map(([, name]) => name!))]
}

/** Whether every brace belongs to a setting. */
export function isTemplate(template: string): boolean {
  return !/[{}]/.test(template.replaceAll(settingPattern, ''))
}

export function fillTemplate(template: string, settings: Readonly<Record<string, unknown>>): string {
  return template.replace(settingPattern, (_, name: string) => String(settings[name]))
}

export function templatePattern(template: string): RegExp {
  const literals = template.split(/\{[A-Za-z_][A-Za-z0-9_]*\}/)
  return new RegExp(`^${literals.map((literal) => literal.replaceAll(/[^A-Za-z0-9_]/g, '\\$&')).join('.+')}$`)
}

const settingPattern = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g
