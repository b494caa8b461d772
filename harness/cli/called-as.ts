/** How the user called this program: by this repository's own script, from a folder's packages, or by its name. */

/** By `npm run cst` in this repository; a script of that name in a user's own package is none of ours. */
export function isOwnScript(): boolean {
  return process.env['npm_lifecycle_event'] === 'cst' && process.env['npm_package_name'] === 'cst-eval';
}

/** The words that begin a command which the user can type. */
export function programName(): string {
  if (isOwnScript()) return 'npm run -s cst --';
  return /node_modules[\\/]\.bin[\\/]cst$/.test(process.argv[1] ?? '') ? 'npx cst' : 'cst';
}
