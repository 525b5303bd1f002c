/** An answer with `ok: false`. */
export class ApiRefusal extends Error {
  readonly code: number;
  readonly parameters?: Readonly<Record<string, number>>;

  constructor(code: number, description: string, parameters?: Readonly<Record<string, number>>) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

export function refuse(
  description: string,
  code = 400,
  parameters?: Readonly<Record<string, number>>,
): never {
  throw new ApiRefusal(code, description, parameters);
}
