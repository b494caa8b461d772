/**
 * Names in the dialects that put a call's name between markers. Servers pass on whatever stands there; a name with a
 * blank or a bracket in it is a marker or a body gone wrong, and no provider takes it for a tool's name.
 */
const NAME = /^[^ \t\r\n<>{}"]+$/;

/** Whether `text` can name a tool: not empty, and without blanks, angle brackets, braces and quotes. */
export function isCallName(text: string): boolean {
  return NAME.test(text);
}
