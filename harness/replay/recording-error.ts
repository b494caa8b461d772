/** A recording that is refused: what is wrong, in which file and field, and what to do (recordings.md). */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  /** The file at fault, as it was asked for. */
  readonly file: string;
  /** The field of the manifest at fault, where it is one: `recordings[3].sha256`. */
  readonly field: string | undefined;

  constructor(fault: RecordingFault) {
    super(describeFault(fault));
    this.file = fault.file;
    this.field = fault.field;
  }
}

export interface RecordingFault {
  readonly file: string;
  readonly field?: string | undefined;
  readonly what: string;
  /** What the user can do. */
  readonly advice: string;
}

function describeFault(fault: RecordingFault): string {
  const place = fault.field === undefined ? fault.file : `${fault.file}, ${fault.field}`;
  return `${place}: ${fault.what}. ${fault.advice}`;
}
