/** A session that cannot be read, written or resumed: the message names the file and says what to do. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}
