/** Kinds of settings. Their messages never contain a value: it may be a secret. */
import * as z from 'zod/mini';

// A file is checked once, so compiling a checker for it takes longer than it saves.
z.config({ jitless: true });

/** A setting that the interface has and the schema does not, or the reverse, does not compile. */
export type Shape<T> = Readonly<Record<keyof T, z.ZodMiniType>>;

/** What is said of a setting. The names are those of JSON schema. */
export interface Facts {
  readonly description: string;
  /** In words where it is not a value of the setting. */
  readonly default?: unknown;
  /** A secret: its value is never shown. */
  readonly writeOnly?: boolean;
}

/** A setting with what the documentation and the JSON schema say of it. */
export function about<S extends z.ZodMiniType>(description: string, schema: S, standard?: unknown): S {
  return schema.check(z.meta(standard === undefined ? { description } : { description, default: standard }));
}

export function secret<S extends z.ZodMiniType>(description: string, schema: S): S {
  return schema.check(z.meta({ description, writeOnly: true }));
}

export const text = z
  .string('must be text')
  .check(z.refine((value) => value.trim() !== '', { error: 'must not be empty' }));
export const someText = z.optional(text);
export const texts = z.optional(z.array(text, 'must be a list of texts'));
export const flag = z.optional(z.boolean('must be true or false'));
export const id = z.union([z.string(), z.number()], 'must be text or a number');

export function wholeNumber(least: number) {
  const error = `must be a whole number, ${least} or more`;
  return z.int(error).check(z.gte(least, { error }));
}

export function count(least: number) {
  return z.optional(wholeNumber(least));
}

export function oneOf<const V extends string>(...values: readonly V[]) {
  return z.optional(z.enum(values as readonly [V, ...V[]], `must be one of ${values.join(', ')}`));
}

export function section<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.optional(z.strictObject(shape, 'must be an object'));
}

export function byName<S extends z.ZodMiniType>(value: S) {
  return z.optional(z.record(z.string(), value, 'must be an object'));
}

/** @param what `of seconds` */
export function positive(what: string) {
  const error = `must be a number ${what} above 0`;
  return z.optional(z.number(error).check(z.gt(0, { error })));
}

export const seconds = positive('of seconds');

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
