/** Params of methods: their types are checked, and properties that are not known are ignored, since newer clients send more. */
import { refuse } from './wire-errors.ts';

export interface Check<T> {
  readonly optional: boolean;
  /** What is wrong with the value at the path, such as `at /keys: must be array`; undefined when nothing is. */
  fault(value: unknown, path: string): string | undefined;
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

type Values = Readonly<Record<string, unknown>>;

/** @param wrong what is wrong with a value, such as `must be array` */
export function check<T>(wrong: (value: unknown) => string | undefined): Check<T> {
  return {
    optional: false,
    fault(value, path) {
      const words = wrong(value);
      return words === undefined ? undefined : `at ${path}: ${words}`;
    },
  };
}

/** A value that need not be there. */
export function maybe<T>(inner: Check<T>): Check<T | undefined> {
  return { ...inner, optional: true } as Check<T | undefined>;
}

/** A value that may be null: it clears what is set. */
export function orNull<T>(inner: Check<T>): Check<T | null> {
  return {
    optional: inner.optional,
    fault: (value, path) => (value === null ? undefined : inner.fault(value, path)),
  };
}

export const anyValue: Check<unknown> = check(() => undefined);
export const text: Check<string> = check((value) =>
  typeof value === 'string' ? undefined : 'must be string',
);
export const filledText: Check<string> = check((value) => {
  if (typeof value !== 'string') return 'must be string';
  return value === '' ? 'must NOT have fewer than 1 characters' : undefined;
});
/** @param most characters */
export function shortText(most: number): Check<string> {
  return {
    optional: false,
    fault: (value, path) =>
      filledText.fault(value, path) ??
      ((value as string).length > most
        ? `at ${path}: must NOT have more than ${most} characters`
        : undefined),
  };
}
export const textOrNumber: Check<string | number> = check((value) =>
  typeof value === 'string' || typeof value === 'number' ? undefined : 'must be string',
);
export const flag: Check<boolean> = check((value) =>
  typeof value === 'boolean' ? undefined : 'must be boolean',
);
export const object: Check<Values> = check((value) => (isObject(value) ? undefined : 'must be object'));

interface Range {
  readonly least?: number;
  readonly most?: number;
}

export function integer(range: Range = {}): Check<number> {
  return check((value) => (Number.isInteger(value) ? outside(value as number, range) : 'must be integer'));
}

export function number(range: Range = {}): Check<number> {
  return check((value) => (typeof value === 'number' ? outside(value, range) : 'must be number'));
}

function outside(value: number, { least, most }: Range): string | undefined {
  if (least !== undefined && value < least) return `must be >= ${least}`;
  return most !== undefined && value > most ? `must be <= ${most}` : undefined;
}

export function oneOf<const T extends string>(...values: readonly T[]): Check<T> {
  return check((value) =>
    (values as readonly unknown[]).includes(value) ? undefined : 'must be equal to one of the allowed values',
  );
}

/** What one of both takes; a fault is told in the words of the first. */
export function either<A, B>(one: Check<A>, other: Check<B>): Check<A | B> {
  return {
    optional: false,
    fault: (value, path) => (other.fault(value, path) === undefined ? undefined : one.fault(value, path)),
  };
}

export function listOf<T>(item: Check<T>, { most }: Pick<Range, 'most'> = {}): Check<readonly T[]> {
  return {
    optional: false,
    fault(value, path) {
      if (!Array.isArray(value)) return `at ${path}: must be array`;
      if (most !== undefined && value.length > most)
        return `at ${path}: must NOT have more than ${most} items`;
      for (const [at, one] of value.entries()) {
        const fault = item.fault(one, `${path}/${at}`);
        if (fault !== undefined) return fault;
      }
      return undefined;
    },
  };
}

/** An object with properties of its own. */
export function record<const S extends ParamShape>(shape: S): Check<ParamsOf<S>> {
  return {
    optional: false,
    fault: (value, path) =>
      isObject(value) ? faultInside(shape, value, path) : `at ${path}: must be object`,
  };
}

/** An object whose properties have one kind of value. */
export function mapOf<T>(item: Check<T>): Check<Readonly<Record<string, T>>> {
  return {
    optional: false,
    fault(value, path) {
      if (!isObject(value)) return `at ${path}: must be object`;
      return Object.entries(value)
        .map(([name, one]) => (one === undefined ? undefined : item.fault(one, `${path}/${name}`)))
        .find((fault) => fault !== undefined);
    },
  };
}

/** Throws INVALID_REQUEST in OpenClaw's words. Absent and null params are `{}`. */
export function checkParams<S extends ParamShape>(method: string, shape: S, params: unknown): ParamsOf<S> {
  const values = params ?? {};
  const fault = isObject(values) ? faultInside(shape, values, '') : 'must be object';
  if (fault !== undefined) throw refuse('INVALID_REQUEST', `invalid ${method} params: ${fault}`);
  return values as ParamsOf<S>;
}

function faultInside(shape: ParamShape, values: Values, path: string): string | undefined {
  for (const [name, inner] of Object.entries(shape)) {
    // A property that every object has is none of the caller's.
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) {
      if (inner.optional) continue;
      return `${path === '' ? '' : `at ${path}: `}must have required property '${name}'`;
    }
    const fault = inner.fault(value, `${path}/${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
