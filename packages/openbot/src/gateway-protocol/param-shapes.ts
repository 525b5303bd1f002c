/** Params of methods: their types are checked, and properties that are not known are ignored, since newer clients send more. */
import { refuse } from './wire-errors.ts';

interface Check<T> {
  readonly optional: boolean;
  /** What is wrong with the value, such as `must be array`; undefined when nothing is. */
  fault(value: unknown): string | undefined;
  /** Only for the compiler. */
  readonly type?: T;
}

export type ParamShape = Readonly<Record<string, Check<unknown>>>;

type OptionalKeys<S> = {
  [K in keyof S]: S[K] extends Check<infer T> ? (undefined extends T ? K : never) : never;
}[keyof S];
type TypeOf<C> = C extends Check<infer T> ? T : never;

export type ParamsOf<S extends ParamShape> = {
  readonly [K in Exclude<keyof S, OptionalKeys<S>>]: TypeOf<S[K]>;
} & { readonly [K in OptionalKeys<S>]?: TypeOf<S[K]> };

function check<T>(fault: Check<T>['fault']): Check<T> {
  return { optional: false, fault };
}

/** A value that need not be there. */
export function maybe<T>(inner: Check<T>): Check<T | undefined> {
  return { ...inner, optional: true } as Check<T | undefined>;
}

/** A value that may be null: it clears what is set. */
export function orNull<T>(inner: Check<T>): Check<T | null> {
  return check((value) => (value === null ? undefined : inner.fault(value)));
}

export const anyValue: Check<unknown> = check(() => undefined);
export const text: Check<string> = check((value) =>
  typeof value === 'string' ? undefined : 'must be string',
);
export const filledText: Check<string> = check((value) => {
  if (typeof value !== 'string') return 'must be string';
  return value === '' ? 'must NOT have fewer than 1 characters' : undefined;
});
export const flag: Check<boolean> = check((value) =>
  typeof value === 'boolean' ? undefined : 'must be boolean',
);
export const object: Check<Readonly<Record<string, unknown>>> = check((value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be object',
);

export function integer({
  least,
  most,
}: {
  readonly least?: number;
  readonly most?: number;
} = {}): Check<number> {
  return check((value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return 'must be integer';
    if (least !== undefined && value < least) return `must be >= ${least}`;
    if (most !== undefined && value > most) return `must be <= ${most}`;
    return undefined;
  });
}

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return check((value) =>
    (values as readonly unknown[]).includes(value) ? undefined : 'must be equal to one of the allowed values',
  );
}

export function listOf<T>(item: Check<T>): Check<readonly T[]> {
  return check((value) => {
    if (!Array.isArray(value)) return 'must be array';
    const wrong = value.findIndex((one) => item.fault(one) !== undefined);
    return wrong < 0 ? undefined : `item ${wrong} ${item.fault(value[wrong])}`;
  });
}

/** Throws INVALID_REQUEST in OpenClaw's words. Absent and null params are `{}`. */
export function checkParams<S extends ParamShape>(method: string, shape: S, params: unknown): ParamsOf<S> {
  const given = params ?? {};
  if (object.fault(given) !== undefined)
    throw refuse('INVALID_REQUEST', `invalid ${method} params: must be object`);
  const values = given as Readonly<Record<string, unknown>>;
  for (const [name, { optional, fault }] of Object.entries(shape)) {
    const value = values[name];
    if (value === undefined) {
      if (optional) continue;
      throw refuse('INVALID_REQUEST', `invalid ${method} params: must have required property '${name}'`);
    }
    const wrong = fault(value);
    if (wrong !== undefined)
      throw refuse('INVALID_REQUEST', `invalid ${method} params: at /${name}: ${wrong}`);
  }
  return values as ParamsOf<S>;
}
