/**
 * The variables that `shell` hands down. A command of the model, and whatever it prints, must not hold the user's keys:
 * so only the variables below are handed down, and those that the user allows by name.
 */
import { holdsKey } from '../key-mask.ts';
import type { Environment } from '../tool.ts';

/** What programs need to find their way; none of them is known to hold a secret. */
const HANDED_DOWN = new Set([
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TERM', 'COLORTERM', 'NO_COLOR', 'LANG', 'LANGUAGE', 'TZ'],
  ...['CI', 'EDITOR', 'PAGER', 'COLUMNS', 'LINES', 'HOSTNAME', 'DISPLAY', 'WAYLAND_DISPLAY', 'SOURCE_DATE_EPOCH'],
  ...[
    'LD_LIBRARY_PATH',
    'DYLD_LIBRARY_PATH',
    'PKG_CONFIG_PATH',
    'CPATH',
    'LIBRARY_PATH',
    'CC',
    'CXX',
    'CFLAGS',
    'CXXFLAGS',
  ],
  ...['NODE_PATH', 'NODE_ENV', 'NVM_DIR', 'NVM_BIN', 'VOLTA_HOME', 'PNPM_HOME', 'BUN_INSTALL', 'DENO_DIR'],
  ...['PYTHONPATH', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'PYENV_ROOT', 'GEM_HOME', 'GEM_PATH', 'RBENV_ROOT', 'BUNDLE_PATH'],
  ...[
    'JAVA_HOME',
    'MAVEN_HOME',
    'GRADLE_HOME',
    'ANDROID_HOME',
    'CARGO_HOME',
    'RUSTUP_HOME',
    'GOPATH',
    'GOROOT',
    'GOBIN',
  ],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'NIX_PATH', 'NIX_PROFILES', 'NIX_SSL_CERT_FILE'],
]);
const HANDED_DOWN_PREFIX = /^(?:LC|XDG)_/;

/** Names that look like secrets, whatever they begin with. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL/i;

export interface EnvironmentOptions {
  /** Names that are handed down all the same, also if they look like secrets. */
  readonly allow?: readonly string[];
  /** Values that are never handed down under any name: the keys of models. */
  readonly secrets?: readonly string[];
}

/** The variables for `shell`, sorted by name. */
export function shellEnvironment(
  variables: Readonly<Record<string, string | undefined>>,
  { allow = [], secrets = [] }: EnvironmentOptions = {},
): Environment {
  const handedDown = Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || secrets.some((secret) => holdsKey(value, secret))) return [];
    return allow.includes(name) || isHandedDown(name) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(handedDown.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isHandedDown(name: string): boolean {
  return (HANDED_DOWN.has(name) || HANDED_DOWN_PREFIX.test(name)) && !SECRET_NAME.test(name);
}
