/** What the page carries with it. */

/** The JSON in the `<script>` that the selector finds. */
export function embeddedJson<Value>(selector: string): Value {
  const text = document.querySelector(selector)?.textContent;
  if (text === undefined || text === null) throw new Error(`the page holds no ${selector}`);
  return JSON.parse(text) as Value;
}

/** The text of a CSV file, byte for byte. */
export function embeddedCsv(path: string): string {
  return embeddedJson<string>(`script[data-csv="${path}"]`);
}
