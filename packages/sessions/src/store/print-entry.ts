import { isJsonObject, type JsonObject } from '../entry/json-object.ts';
import { OpenBotError } from '../errors.ts';
import { freezeJson } from './json-value.ts';

interface Printed<T> {
  /** Without the key, indented for its place in the store. */
  readonly text: string;
  /** What a reader of that text gets, frozen: the two can never disagree. */
  readonly value: T;
}

/**
 * The texts of values that were printed before and are frozen. A change replaces a few fields of an entry, most of whose
 * bytes are in others (the report on the prompt, the skills).
 */
const entries = new WeakMap<object, string>();
const fields = new WeakMap<object, string>();

/** The text of a member of the store (`"key": { … }`), and the entry that a reader of that text gets. */
export function printEntry(key: string, entry: unknown): Printed<JsonObject> {
  if (typeof key !== 'string' || key === '') {
    throw new OpenBotError('INVALID_SESSION_KEY', 'A session key must be a text that is not empty');
  }
  const printed = isJsonObject(entry) ? printObject(key, entry) : undefined;
  if (printed === undefined) {
    throw new OpenBotError('STORE_ENTRY_INVALID', `The entry for ${key} must be an object`, {
      hint: 'To remove an entry, delete it.',
    });
  }
  return { text: `${JSON.stringify(key)}: ${printed.text}`, value: printed.value };
}

/** Undefined for what becomes no object as JSON. */
function printObject(key: string, entry: JsonObject): Printed<JsonObject> | undefined {
  const known = entries.get(entry);
  if (known !== undefined) return { text: known, value: entry };
  let printed: Printed<unknown> | undefined;
  try {
    printed = isOrdinary(entry) ? printFields(entry) : print(entry, '  ');
  } catch (cause) {
    throw new OpenBotError('STORE_ENTRY_INVALID', `The entry for ${key} cannot be written as JSON`, {
      cause,
    });
  }
  if (printed === undefined || !isJsonObject(printed.value)) return undefined;
  entries.set(printed.value, printed.text);
  return printed as Printed<JsonObject>;
}

/** JSON.stringify takes its fields one by one, and assigning them to a new object makes the same fields. */
function isOrdinary(entry: JsonObject): boolean {
  const prototype = Object.getPrototypeOf(entry);
  return (
    (prototype === Object.prototype || prototype === null) &&
    typeof entry.toJSON !== 'function' &&
    !Object.hasOwn(entry, '__proto__')
  );
}

function printFields(entry: JsonObject): Printed<JsonObject> {
  const value: JsonObject = {};
  const lines: string[] = [];
  for (const name of Object.keys(entry)) {
    const field = printField(entry[name]);
    if (field === undefined) continue;
    lines.push(`\n    ${quoteName(name)}: ${field.text}`);
    value[name] = field.value;
  }
  const text = lines.length === 0 ? '{}' : `{${lines.join(',')}\n  }`;
  return { text, value: Object.freeze(value) };
}

/** The names of fields, quoted: entries have the same few dozen. */
const quoted = new Map<string, string>();
const MOST_QUOTED = 1000;

function quoteName(name: string): string {
  let text = quoted.get(name);
  if (text === undefined) {
    text = JSON.stringify(name);
    if (quoted.size < MOST_QUOTED) quoted.set(name, text);
  }
  return text;
}

function printField(field: unknown): Printed<unknown> | undefined {
  if (typeof field === 'string') return { text: JSON.stringify(field), value: field };
  if (typeof field === 'boolean' || field === null) return { text: String(field), value: field };
  // JSON has no -0.
  if (Number.isFinite(field)) return { text: String(field), value: (field as number) + 0 };
  if (typeof field !== 'object') return print(field, '');
  const known = fields.get(field);
  if (known !== undefined) return { text: known, value: field };
  const printed = print(field, '    ');
  if (typeof printed?.value === 'object' && printed.value !== null) fields.set(printed.value, printed.text);
  return printed;
}

function print(given: unknown, indent: string): Printed<unknown> | undefined {
  const text = JSON.stringify(given, null, 2);
  if (text === undefined) return undefined;
  const value = freezeJson(JSON.parse(text));
  // Strings hold no raw line ends, so this moves only structure.
  return { text: text.replaceAll('\n', `\n${indent}`), value };
}
