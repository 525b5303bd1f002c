/** Configuration that is data: JSON or JSON5, with files that it includes and variables that it names. Nothing is executed. */
import { constants, readFileSync, statSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { isJsonObject } from '../entry/json-object.ts';
import type { Environment } from './state-dir.ts';

const MOST_INCLUDES = 10;

interface DataFileOptions {
  /** Called for what is no plain JSON; throws where it is no JSON5 either. */
  readonly parseJson5: (text: string) => unknown;
  /** Makes the error. `why` holds at most one character of the file, which may contain secrets. */
  readonly fail: (path: string, why: string, cause?: unknown) => Error;
  /** What the file itself is to say, where that is not on disk yet. */
  readonly text?: string;
  /** Called with each file before it is read, also where reading fails. */
  readonly onFile?: (path: string) => void;
}

export interface DataFile {
  readonly value: unknown;
  /** It and all that it includes, as they were read. */
  readonly files: readonly string[];
}

/** Undefined where there is no such file. `$include` of a file names others in its folder; what it says itself wins over them. */
export function readDataFile(path: string, options: DataFileOptions): DataFile | undefined {
  const text = options.text ?? readText(path, options);
  if (text === undefined) return undefined;
  const files = [path];
  return { value: parse(path, text, { ...options, root: dirname(path), files }), files };
}

function parse(
  path: string,
  text: string,
  options: DataFileOptions & { readonly root: string; readonly files: string[] },
  depth = 0,
): unknown {
  const { fail, root, files } = options;
  const config = parseText(path, text, options);
  if (!isJsonObject(config) || config.$include === undefined) return config;
  const { $include: included, ...own } = config;
  if (depth >= MOST_INCLUDES) throw fail(path, 'too many files include each other');
  const parts = (Array.isArray(included) ? included : [included]).map((name) => {
    const target = resolve(dirname(path), String(name));
    if (!target.startsWith(root + sep))
      throw fail(path, `it includes ${target}, which is outside of its folder`);
    const content = readText(target, options);
    if (content === undefined) throw fail(path, `it includes ${target}, which is not there`);
    files.push(target);
    return parse(target, content, options, depth + 1);
  });
  return [...parts, own].reduce(merge);
}

function parseText(path: string, text: string, { parseJson5, fail }: DataFileOptions): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Its message quotes the file.
  }
  try {
    return parseJson5(text);
  } catch (error) {
    throw fail(path, (error as Error).message, error);
  }
}

function merge(under: unknown, over: unknown): unknown {
  if (!isJsonObject(under) || !isJsonObject(over)) return over;
  const merged: Record<string, unknown> = { ...under };
  for (const [key, value] of Object.entries(over)) {
    merged[key] = Object.hasOwn(under, key) ? merge(under[key], value) : value;
  }
  return merged;
}

/** `${NAME}` is the value of a variable, `$${NAME}` the text `${NAME}`. A variable that is empty counts as not set. */
export function fillInVariables(text: string, env: Environment, onMissing: (name: string) => Error): string {
  return text.replace(/\$?\$\{([A-Z_][A-Z0-9_]*)\}/g, (found, name: string) => {
    if (found.startsWith('$$')) return found.slice(1);
    const value = env[name];
    if (value === undefined || value === '') throw onMissing(name);
    return value;
  });
}

function readText(path: string, { fail, onFile }: DataFileOptions): string | undefined {
  onFile?.(path);
  try {
    return readSmallFile(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw fail(path, message, error);
  }
}

/** Settings and titles are far smaller. */
const LARGEST_BYTES = 16 * 1024 * 1024;

/** For a pipe that takes the place of the file meanwhile. Windows has neither the flag nor such pipes. */
const WITHOUT_WAITING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a small file that may be in another user's folder. A pipe or a device in its place would never end, and
 * no signal is heard meanwhile, so only an ordinary file is read.
 */
export function readSmallFile(path: string): string {
  const stats = statSync(path);
  if (stats.isDirectory()) throw new Error('it is a folder');
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size > LARGEST_BYTES) throw new Error(`it is larger than ${LARGEST_BYTES} bytes`);
  // The type leaves out that flags may be a number.
  return readFileSync(path, { encoding: 'utf8', flag: WITHOUT_WAITING as unknown as string });
}
