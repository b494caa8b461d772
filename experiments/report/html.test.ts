import fc from 'fast-check';
import { expect, it } from 'vitest';
import { html, raw, scriptJson } from './html.ts';

it('escapes what is put in, in text and in attributes, and leaves HTML as it is', () => {
  const name = `<b title="x">&'`;
  expect(html`<p title="${name}">${name}${raw('<i>')}${[html`${1}`, html`<br>`]}</p>`.text).toBe(
    `<p title="&lt;b title=&quot;x&quot;&gt;&amp;'">&lt;b title=&quot;x&quot;&gt;&amp;'<i>1<br></p>`,
  );
});

it('writes any text into a script so that nothing there ends the script, and reads it back', () => {
  const part = fc.constantFrom('</script', '<!--', '<script', ']]>', '"', '\\', '\n', '\r', '\u2028', 'é', 'a');
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join('');
      const script = scriptJson(text).text;
      expect(script).not.toContain('<');
      expect(script).not.toContain('\r');
      expect(JSON.parse(script)).toBe(text);
    }),
    { seed: 20261202 },
  );
});
