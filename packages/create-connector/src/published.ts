/** Whether the packages are on the npm registry. Set by `scripts/release/set-published.ts`. */
export const published: boolean = false
