/** Kinds of settings. Their messages never contain a value: it may be a secret. */
import * as z from 'zod/mini';

// A file is checked once, so compiling a checker for it takes longer than it saves.
z.config({ jitless: true });

/** A setting that the interface has and the schema does not, or the reverse, does not compile. */
export type Shape<T> = Readonly<Record<keyof T, z.ZodMiniType>>;

export const text = z
  .string('must be text')
  .check(z.refine((value) => value.trim() !== '', { error: 'must not be empty' }));
export const someText = z.optional(text);
export const texts = z.optional(z.array(text, 'must be a list of texts'));
export const flag = z.optional(z.boolean('must be true or false'));
export const id = z.union([z.string(), z.number()], 'must be text or a number');

export function count(least: number) {
  const mustBe = `must be a whole number, ${least} or more`;
  return z.optional(
    z.number(mustBe).check(z.refine((n) => Number.isInteger(n) && n >= least, { error: mustBe })),
  );
}

export function oneOf(...values: readonly string[]) {
  return z.optional(z.enum(values as [string, ...string[]], `must be one of ${values.join(', ')}`));
}

export function section<S extends z.core.$ZodLooseShape>(shape: S) {
  return z.optional(z.looseObject(shape, 'must be an object'));
}

export function byName<S extends z.ZodMiniType>(value: S) {
  return z.optional(z.record(z.string(), value, 'must be an object'));
}

const mostSeconds = 'must be a number of seconds above 0';
export const seconds = z.optional(
  z.number(mostSeconds).check(z.refine((value) => value > 0, { error: mostSeconds })),
);

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
