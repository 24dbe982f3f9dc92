import { type LocalPackage, packagesFolder } from './local-package.ts'

interface PackageJson {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  overrides?: Record<string, unknown>
}

export function useLocalPackages(text: string, packages: readonly LocalPackage[]): string {
  const manifest = JSON.parse(text) as PackageJson
  const specifiers = new Map(packages.map(({ name, specifier }) => [name, specifier]))
  const direct = new Set<string>()
  for (const dependencies of [manifest.dependencies, manifest.devDependencies])
    for (const name of Object.keys(dependencies ?? {})) {
      const specifier = specifiers.get(name)
      if (specifier === undefined) continue
      dependencies![name] = specifier
      direct.add(name)
    }
  // npm refuses an override that differs from the direct dependency.
  const indirect = [...specifiers].filter(([name]) => !direct.has(name))
  const others = Object.entries(manifest.overrides ?? {}).filter(([, specifier]) => !isLocal(specifier))
  manifest.overrides = { ...Object.fromEntries(others), ...Object.fromEntries(indirect) }
  return `${JSON.stringify(manifest, undefined, 2)}\n`
}

export function usesLocalPackages(text: string): boolean {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(text) as PackageJson
  return [...Object.values(dependencies), ...Object.values(devDependencies)].some(isLocal)
}

function isLocal(specifier: unknown): boolean {
  return typeof specifier === 'string' && specifier.startsWith(`file:${packagesFolder}/`)
}
