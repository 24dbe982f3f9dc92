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
  const literals = templateParts(template).filter((_, index) => index % 2 === 0)
  return new RegExp(`^${literals.map((literal) => literal.replaceAll(/[^A-Za-z0-9_]/g, '\\$&')).join('.+')}$`)
}

/** Literal text and names of settings, alternating. */
export function templateParts(template: string): string[] {
  return template.split(settingPattern)
}

const settingPattern = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g
