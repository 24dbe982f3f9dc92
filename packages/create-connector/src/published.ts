/** Whether the packages are on the registry. The release sets it: `scripts/release/set-published.ts`. */
export const published: boolean = false
