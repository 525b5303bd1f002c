import type { JsonObject } from '../entry/json-object.ts';

/** Freezes a parsed JSON value all the way down. Without recursion: a file may nest deeper than the stack. */
export function freezeJson<T>(value: T): T {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const child of Object.values(next)) if (typeof child === 'object') pending.push(child);
  }
  return value;
}

/** A copy that the caller may change. Several times faster than structuredClone, and without recursion. */
export function copyJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const root = emptyLike(value);
  const pending: [JsonObject, JsonObject][] = [[value as JsonObject, root]];
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [source, target] = pair;
    for (const key of Object.keys(source)) {
      let child = source[key];
      if (typeof child === 'object' && child !== null) {
        const copy = emptyLike(child);
        pending.push([child as JsonObject, copy]);
        child = copy;
      }
      // Plain assignment would change the prototype instead of making a field.
      if (key === '__proto__') Object.defineProperty(target, key, { value: child, ...ORDINARY });
      else target[key] = child;
    }
  }
  return root as T;
}

const ORDINARY = { enumerable: true, configurable: true, writable: true };

function emptyLike(value: object): JsonObject {
  return (Array.isArray(value) ? [] : {}) as JsonObject;
}

/** Whether both would be written alike, but for the order of fields. Never true for what is more than JSON. */
export function isSameJson(a: unknown, b: unknown): boolean {
  const ones: unknown[] = [a];
  const others: unknown[] = [b];
  while (ones.length > 0) {
    const one = ones.pop();
    const other = others.pop();
    if (one === other) continue;
    if (!isPlain(one) || !isPlain(other) || Array.isArray(one) !== Array.isArray(other)) return false;
    const keys = Object.keys(one);
    if (!hasFields(other, keys, one)) return false;
    for (const key of keys) {
      const child = one[key];
      const match = other[key];
      if (child === match) continue;
      if (typeof child !== 'object' || typeof match !== 'object') return false;
      ones.push(child);
      others.push(match);
    }
  }
  return true;
}

/** Whether `other` has the same fields as `one`, not counting those that are undefined. */
function hasFields(other: JsonObject, keys: readonly string[], one: JsonObject): boolean {
  const others = Object.keys(other);
  if (others.length === keys.length && keys.every((key, at) => others[at] === key)) return true;
  const present = (object: JsonObject, key: string) =>
    Object.hasOwn(object, key) && object[key] !== undefined;
  return (
    keys.every((key) => present(one, key) === present(other, key)) &&
    others.every((key) => present(one, key) || !present(other, key))
  );
}

function isPlain(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || Array.isArray(value);
}
