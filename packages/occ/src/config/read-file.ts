import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OpenBotError } from '@openbot/sessions';
import { readSmallFile } from '@openbot/sessions/layout';
import type { ConfigurationFile } from './find-configuration.ts';

/** The content of the file, unchecked. Throws CONFIG_INVALID where it cannot be read. */
export async function readConfigurationFile(
  { path, kind }: ConfigurationFile,
  shownPath: string,
): Promise<unknown> {
  try {
    if (kind === 'code') return await runFile(path);
    const text = readSmallFile(path);
    if (kind === 'rc') return parseRcFile(text, shownPath);
    if (kind === 'package') return (JSON.parse(text) as { occ?: unknown }).occ;
    return await parseData(text, extname(path));
  } catch (cause) {
    if (cause instanceof OpenBotError) throw cause;
    throw new OpenBotError('CONFIG_INVALID', `${shownPath}: ${describe(cause, path)}`, {
      hint: isMissing(cause, path) ? 'Name a file that exists' : 'Correct the file, or move it away',
      cause,
    });
  }
}

async function parseData(text: string, extension: string): Promise<unknown> {
  switch (extension) {
    case '.yaml':
    case '.yml':
      return (await import('confbox/yaml')).parseYAML(text);
    case '.toml':
      return (await import('confbox/toml')).parseTOML(text);
    case '.json5':
      return (await import('confbox/json5')).parseJSON5(text);
    case '.jsonc':
      return parseCommentedJson(text);
    default:
      return JSON.parse(text);
  }
}

/** The parser returns a partial result for a torn file. */
async function parseCommentedJson(text: string): Promise<unknown> {
  const { parseJSONC } = await import('confbox/jsonc');
  const errors: { offset: number }[] = [];
  const values = parseJSONC(text, { allowTrailingComma: true, errors: errors as never });
  if (errors[0] === undefined) return values;
  const before = text.slice(0, errors[0].offset).split('\n');
  throw new Error(`not valid JSON at line ${before.length}, column ${before.at(-1)!.length + 1}`);
}

/** Node strips the types itself. */
async function runFile(path: string): Promise<unknown> {
  const { default: written } = await quietly(() => import(pathToFileURL(path).href));
  return typeof written === 'function' ? await written() : written;
}

/** Without warnings of Node about stripped types and packages without a `type`. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** False for a file that the configuration itself tried to open. */
function isMissing(cause: unknown, path: string): boolean {
  const fault = cause as NodeJS.ErrnoException | null;
  return fault?.code === 'ENOENT' && fault.path === path;
}

function describe(cause: unknown, path: string): string {
  if (isMissing(cause, path)) return 'there is no such file';
  const message = cause instanceof Error ? cause.message : String(cause);
  const line =
    message
      .split('\n')
      .map((part) => part.trim())
      .find((part) => part !== '') ?? 'cannot be read';
  return line.startsWith(`${path}: `) ? line.slice(path.length + 2) : line;
}

interface Values {
  [key: string]: unknown;
}

/** Lines of the form `key=value`; a dot in a key leads into an object. Throws CONFIG_INVALID for any other line. */
function parseRcFile(text: string, shownPath: string): Values {
  const values: Values = {};
  for (const [at, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (!/\S/.test(line) || /^\s*[#;]/.test(line)) continue;
    const match = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (match === null) {
      throw new OpenBotError('CONFIG_INVALID', `${shownPath}: line ${at + 1} is not of the form key=value`, {
        hint: 'Write lines such as defaultPreset=aggressive; JSON belongs in occ.config.json',
      });
    }
    put(values, match[1]!.split('.'), readValue(match[2]!));
  }
  return values;
}

/** Keys are defined, not assigned, so that `__proto__` is an ordinary key. */
function put(values: Values, [key = '', ...rest]: string[], value: unknown): void {
  const held = Object.hasOwn(values, key) ? values[key] : undefined;
  const inner = rest.length === 0 ? value : typeof held === 'object' && held !== null ? held : {};
  Object.defineProperty(values, key, { value: inner, enumerable: true, writable: true, configurable: true });
  if (rest.length > 0) put(inner as Values, rest, value);
}

/** A JSON value, else the text itself. */
function readValue(text: string): unknown {
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
