/**
 * The plain container in which native answers were written down (recordings/replies/prompts/native.md): a native call
 * has no text form of its own.
 */
export interface NativeAnswer {
  /** Text that precedes the calls; may be empty. */
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly argsText: string }[];
}

const TEXT_LINE = '@@text';
const CALL_LINE = /^@@call (\S+)$/;

/** Reads a container. The LF before the next section belongs to the container, not to the text or the arguments. */
export function parseNativeContainer(container: string): NativeAnswer {
  const calls: { name: string; lines: string[] }[] = [];
  const textLines: string[] = [];
  let section: string[] | null = null;
  for (const line of container.replace(/\n$/, '').split('\n')) {
    const name = CALL_LINE.exec(line)?.[1];
    if (name !== undefined) {
      section = [];
      calls.push({ name, lines: section });
    } else if (line === TEXT_LINE && section === null) section = textLines;
    else if (section === null) throw new Error(`expected @@text or @@call, found ${JSON.stringify(line.slice(0, 40))}`);
    else section.push(line);
  }
  return {
    text: textLines.join('\n'),
    calls: calls.map(({ name, lines }) => ({ name, argsText: lines.join('\n') })),
  };
}
