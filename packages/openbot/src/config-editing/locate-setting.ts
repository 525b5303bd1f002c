import type { ValueNode } from '@humanwhocodes/momoa';
import { readSmallFile } from '@openbot/sessions/layout';
import type { SettingPath } from '../config/setting-path.ts';
import { findItem, parseText } from './edit-text.ts';

export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

/** Opens files that a configuration was read from: it and what it includes. The function finds a setting in them, or what it would be in. */
export function openLocator(files: readonly string[]): (path: SettingPath) => Place | undefined {
  // What the file itself says wins, then what it includes last.
  const [own, ...included] = files.flatMap((file) => {
    try {
      return [{ file, body: parseText(readSmallFile(file)).body }];
    } catch {
      return [];
    }
  });
  const documents = own === undefined ? [] : [own, ...included.reverse()];
  return (path) => {
    const places = documents.map(({ file, body }) => ({ file, ...walk(body, path) }));
    const deepest = Math.max(...places.map(({ depth }) => depth));
    const found = places.find(({ depth }) => depth === deepest);
    return found && { file: found.file, line: found.line, column: found.column };
  };
}

function walk(body: ValueNode, path: SettingPath): { depth: number; line: number; column: number } {
  let place = body.loc.start;
  let at = body;
  for (const [depth, part] of path.entries()) {
    const item = at.type === 'Object' || at.type === 'Array' ? findItem(at, part) : undefined;
    if (item === undefined) return { depth, line: place.line, column: place.column };
    at = item.value;
    place = item.type === 'Member' ? item.name.loc.start : at.loc.start;
  }
  return { depth: path.length, line: place.line, column: place.column };
}
