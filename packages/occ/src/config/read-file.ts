import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OpenBotError } from '@openbot/sessions';
import { readSmallFile } from '@openbot/sessions/layout';
import type { ConfigurationFile } from './find-configuration.ts';
import { parseRcFile } from './rc-file.ts';

/** What stands in the file, as it is. Throws CONFIG_INVALID where it cannot be read. */
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
      hint: isMissing(cause, path) ? 'Name a file that there is' : 'Correct the file, or move it away',
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

/** The parser makes what it can of a torn file, and calls that a result. */
async function parseCommentedJson(text: string): Promise<unknown> {
  const { parseJSONC } = await import('confbox/jsonc');
  const errors: { offset: number }[] = [];
  const values = parseJSONC(text, { allowTrailingComma: true, errors: errors as never });
  if (errors[0] === undefined) return values;
  const before = text.slice(0, errors[0].offset).split('\n');
  throw new Error(`not valid JSON at line ${before.length}, column ${before.at(-1)!.length + 1}`);
}

/** Node itself takes the types away. */
async function runFile(path: string): Promise<unknown> {
  const { default: written } = await quietly(() => import(pathToFileURL(path).href));
  return typeof written === 'function' ? await written() : written;
}

/** Node remarks on stderr that it takes types away, and that a package does not say what its modules are. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return await work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Not one that code of the file itself asked for. */
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
