import { ParamType } from 'ethers'

/**
 * Names of fields for parameters: as the ABI has them, without underscores at the ends, `arg0` for the first one where it
 * has no name. A number is added to a name that is taken, and `Value` to one that no declaration can have.
 */
export function uniqueFieldNames(names: readonly string[], taken: readonly string[]): string[] {
  const used = new Set(taken.map(comparable))
  return names.map((name, index) => {
    const plain = name.replaceAll(/[^A-Za-z0-9_]/g, '_').replaceAll(/^[_0-9]+|_+$/g, '') || `arg${index}`
    const wanted = fitsDeclaration(plain) ? plain : `${plain}Value`
    let unique = wanted
    for (let number = 2; used.has(comparable(unique)); number++) unique = `${wanted}${number}`
    used.add(comparable(unique))
    return unique
  })
}

/** Compilers of .proto files refuse fields whose names are one without regard to case and underscores. */
function comparable(name: string): string {
  return name.replaceAll('_', '').toLowerCase()
}

/** `uint256 indexed` declares no parameter called "indexed", nor `uint256 uint8` one called "uint8". */
function fitsDeclaration(name: string): boolean {
  try {
    return ParamType.from(`uint256 ${name}`).name === name
  } catch {
    return false
  }
}
