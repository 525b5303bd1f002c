/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}
