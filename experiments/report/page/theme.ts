/** Light or dark: as the system says, until the reader says otherwise. Print is always light. */
export type Theme = 'light' | 'dark';

export function mountTheme(onChange: (theme: Theme) => void): void {
  const button = document.getElementById('theme-switch');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const print = matchMedia('print');
  let chosen = remembered();
  const now = (): Theme => chosen ?? (system.matches ? 'dark' : 'light');
  const apply = (): void => {
    const theme = now();
    document.documentElement.dataset['theme'] = theme;
    if (button !== null) button.textContent = theme === 'dark' ? 'Light' : 'Dark';
    onChange(print.matches ? 'light' : theme);
  };
  button?.removeAttribute('hidden');
  button?.addEventListener('click', () => {
    chosen = now() === 'dark' ? 'light' : 'dark';
    remember(chosen);
    apply();
  });
  system.addEventListener('change', apply);
  apply();
}

const KEY = 'cst-report-theme';

/** A page opened from disk may have no storage: then a choice lasts as long as the page. */
function remembered(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

function remember(theme: Theme): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The choice is not kept.
  }
}
