/** A first `openbot.json`, with comments for the person who will edit it. */
import { existsSync, rmSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { linkNew, makeLeftoverPath, withLock, writeFileAtomic } from '@openbot/sessions/disk';
import { type Style, writeKey, writeValue } from './text-style.ts';

const STYLE: Style = { indent: '  ', newline: '\n', keyQuote: '', quote: "'" };

export interface ConfigDraft {
  readonly head: readonly string[];
  readonly config: Readonly<Record<string, unknown>>;
  /** By the name of a setting of the top level: what is said before it. */
  readonly about?: Readonly<Record<string, readonly string[]>>;
  readonly tail?: readonly string[];
}

export function composeConfigText({ head, config, about = {}, tail = [] }: ConfigDraft): string {
  const settings = Object.entries(config).flatMap(([name, value]) => [
    ...(about[name] ?? []).map((line) => `  // ${line}`),
    `  ${writeKey(name, STYLE)}: ${writeValue(value, STYLE, '  ')},`,
  ]);
  const remarks = (lines: readonly string[]) => lines.flatMap((line) => `// ${line}`.trimEnd().split('\n'));
  return `${[...remarks(head), '{', ...settings, '}', ...remarks(tail)].join('\n')}\n`;
}

/** Makes the file, whole or not at all, for its owner alone. Throws CONFIG_EXISTS, and never replaces one. */
export function createConfigFile(path: string, text: string): Promise<void> {
  return withLock(`${path}.lock`, {}, async () => {
    if (existsSync(path)) throw configExists(path);
    await writeNewFile(path, text).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? configExists(path) : error;
    });
  });
}

/** Whole or not at all, for its owner alone. Throws EEXIST where there is one. */
export async function writeNewFile(path: string, text: string): Promise<void> {
  const temp = makeLeftoverPath(path, 'tmp');
  try {
    await writeFileAtomic(temp, text);
    // A disk without links: the callers have looked, and a lock keeps other commands of this program away.
    if (!linkNew(temp, path)) await writeFileAtomic(path, text);
  } finally {
    rmSync(temp, { force: true });
  }
}

function configExists(path: string): OpenBotError {
  return new OpenBotError('CONFIG_EXISTS', `${path} exists, and was not changed`, {
    hint: 'To change single settings: openbot config set <setting> <value>',
  });
}
