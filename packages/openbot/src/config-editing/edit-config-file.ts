import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { OpenBotError } from '@openbot/sessions';
import { withLock, writeFileAtomic } from '@openbot/sessions/disk';
import { type Environment, readSmallFile } from '@openbot/sessions/layout';
import { findNearest } from '@openbot/sessions/terminal-text';
import type { ConfigFault } from '../config/check-config.ts';
import { type InspectedFile, inspectConfigFile, invalidConfig } from '../config/config-file.ts';
import { listNames, listValues } from '../config/schema/look-up.ts';
import { readSetting, type SettingPath, showSettingPath } from '../config/setting-path.ts';
import { isBareObject, setInText, unsetInText } from './edit-text.ts';

/** Without a value the setting is removed. */
export interface ConfigChange {
  readonly at: SettingPath;
  readonly value?: unknown;
}

export interface EditedConfig {
  /** False where the file says so already. */
  readonly changed: boolean;
  /** Sentences for a person: what was written is right, and may not do what is expected. */
  readonly notices: readonly string[];
}

/**
 * Changes settings of `openbot.json`: all of them, or none where the file would be wrong afterwards in a way in which it
 * was not before. Comments, order and style stay. A missing file is made. What the file includes is not changed.
 * Throws CONFIG_INVALID, and USAGE for a value that its setting does not take.
 */
export function editConfigFile(
  path: string,
  changes: readonly ConfigChange[],
  { env }: { readonly env: Environment },
): Promise<EditedConfig> {
  // People link it to where they keep such files. What is wrong with a link that leads nowhere is said when it is read.
  const target = existsSync(path) ? realpathSync(path) : path;
  return withLock(`${target}.lock`, {}, async () => {
    const text = isThere(path) ? readSmallFile(path) : '';
    const before = text.trim() === '' ? undefined : inspectConfigFile(path, { env, text });
    const edited = changes.reduce((so, change) => applyChange(path, so, change), text);
    if (edited === text) return { changed: false, notices: [] };
    const after = inspectConfigFile(path, { env, text: edited });
    const known = new Set(before?.faults.map(formatFault));
    const added = after.faults.filter((fault) => !known.has(formatFault(fault)));
    const wrong = added.filter(({ isLocal }) => !isLocal);
    if (wrong.length > 0) throw refuse(path, changes, wrong);
    await writeFileAtomic(target, edited, { sweep: false });
    const oldNotices = new Set(before?.notices);
    return {
      changed: true,
      notices: [
        ...changes.flatMap((change) => explainInclude(change, after)),
        ...added.map(formatFault),
        ...after.notices.filter((notice) => !oldNotices.has(notice)),
      ],
    };
  });
}

function applyChange(path: string, text: string, { at, value }: ConfigChange): string {
  try {
    return value === undefined ? unset(text, at) : setInText(text, at, value);
  } catch (cause) {
    if (cause instanceof OpenBotError) throw cause;
    throw new OpenBotError('CONFIG_INVALID', `Cannot edit ${path}: ${(cause as Error).message}`, {
      hint: 'The file can be read, but not edited here. Edit it by hand',
      cause,
    });
  }
}

/** With the sections that have nothing in them now. A name that the person chose stays: an agent may have no settings. */
function unset(text: string, at: SettingPath): string {
  const without = unsetInText(text, at);
  const section = at.slice(0, -1);
  const isNamedHere = listNames(section.slice(0, -1)).includes(String(section.at(-1)));
  return without !== text && isNamedHere && isBareObject(without, section)
    ? unset(without, section)
    : without;
}

function refuse(path: string, changes: readonly ConfigChange[], wrong: readonly ConfigFault[]): OpenBotError {
  const change = changes.find(({ at }) =>
    wrong.every((fault) => at.every((part, index) => fault.at[index] === part)),
  );
  if (change === undefined) return invalidConfig(path, wrong);
  const [first] = wrong;
  const value = readSetting(change.value, first!.at.slice(change.at.length));
  const nearest = typeof value === 'string' ? findNearest(value, listValues(first!.at)) : undefined;
  return new OpenBotError('USAGE', wrong.map(formatFault).join('\n'), {
    hint: nearest === undefined ? (first!.hint ?? 'Nothing was changed') : `Did you mean ${nearest}?`,
  });
}

function explainInclude({ at, value }: ConfigChange, { files, written }: InspectedFile): string[] {
  const [own, ...included] = files;
  if (included.length === 0) return [];
  const others = included.join(', ');
  if (value !== undefined) return [`Set in ${own}, which wins over what it includes: ${others}`];
  return readSetting(written, at) === undefined
    ? []
    : [`${showSettingPath(at)} still has a value, from a file that ${own} includes: ${others}`];
}

function formatFault({ at, says }: ConfigFault): string {
  return `${showSettingPath(at)} ${says}`;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
