/** The Chromium of this machine, for tests in a real browser. None is downloaded. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
];

/** Path of the program: what `CST_CHROMIUM` names, else the first of the usual places; null if there is none. */
export function findChromium(): string | null {
  const named = process.env['CST_CHROMIUM'] ?? '';
  return named === '' ? (PLACES.find((place) => existsSync(place)) ?? null) : named;
}

/** Throws if there is no Chromium, or it does not start. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) {
    throw new Error(`no Chromium in ${PLACES.join(', ')}: install the package chromium, or name one with CST_CHROMIUM`);
  }
  return chromium.launch({ executablePath, args: ARGUMENTS });
}
