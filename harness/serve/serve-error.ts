/** A server that cannot be started as it was asked for: a sentence that says what, where, and what to do. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
  /** `option`: what the caller asked for; `file`: what stands in a file. */
  readonly of: 'option' | 'file';

  constructor(of: 'option' | 'file', message: string) {
    super(message);
    this.of = of;
  }
}
