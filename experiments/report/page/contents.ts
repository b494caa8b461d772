/** The table of contents says where the reader is. */

/** Share of the window's height, from the top: the section that crosses this line is the one that is being read. */
const LINE = 0.25;

export function mountContents(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('nav.contents a')];
  const sections = links.flatMap((link) => document.getElementById(link.hash.slice(1)) ?? []);
  const show = (): void => {
    const line = innerHeight * LINE;
    const current = sections.findLast((section) => section.getBoundingClientRect().top <= line);
    for (const link of links) {
      if (current !== undefined && link.hash === `#${current.id}`) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  let isAsked = false;
  addEventListener(
    'scroll',
    () => {
      if (isAsked) return;
      isAsked = true;
      requestAnimationFrame(() => {
        isAsked = false;
        show();
      });
    },
    { passive: true },
  );
  show();
}
