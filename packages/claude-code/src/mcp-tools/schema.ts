/** JSON Schema, as much of it as the tools need. */
export type Schema = Readonly<Record<string, unknown>>;

/** What tools take and give is an object each time. */
export interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: string[];
  readonly additionalProperties: boolean;
  readonly [word: string]: unknown;
}

export const TEXT: Schema = { type: 'string' };
export const NUMBER: Schema = { type: 'number' };
export const COUNT: Schema = { type: 'integer', minimum: 0 };
export const YES_NO: Schema = { type: 'boolean' };
/** ISO 8601. */
export const TIME: Schema = { type: 'string', format: 'date-time' };

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** @param optional may be left out; everything else is there */
export function objectOf(
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): ObjectSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  };
}

export function describe(schema: Schema, description: string): Schema {
  return { ...schema, description };
}
