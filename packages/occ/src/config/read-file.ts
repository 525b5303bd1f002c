import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OccError } from '../errors.ts';
import type { ConfigurationFile } from './find-configuration.ts';
import { parseRcFile } from './rc-file.ts';

/** What stands in the file, as it is. Throws CONFIG_INVALID where it cannot be read. */
export async function readConfigurationFile(
  { path, kind }: ConfigurationFile,
  shownPath: string,
): Promise<unknown> {
  try {
    if (kind === 'code') return await runFile(path);
    const text = await readFile(path, 'utf8');
    if (kind === 'rc') return parseRcFile(text, shownPath);
    if (kind === 'package') return (JSON.parse(text) as { occ?: unknown }).occ;
    return await parseData(text, extname(path));
  } catch (cause) {
    if (cause instanceof OccError) throw cause;
    throw new OccError(`${shownPath}: ${describe(cause, path)}`, 'CONFIG_INVALID', {
      hint: 'Correct the file, or move it away',
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
      return (await import('confbox/jsonc')).parseJSONC(text, { allowTrailingComma: true });
    default:
      return JSON.parse(text);
  }
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

function describe(cause: unknown, path: string): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const line =
    message
      .split('\n')
      .map((part) => part.trim())
      .find((part) => part !== '') ?? 'cannot be read';
  return line.startsWith(`${path}: `) ? line.slice(path.length + 2) : line;
}
