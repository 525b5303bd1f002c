import { basename } from 'node:path';
import type { Terminal } from '@openbot/sessions/command-line';
import {
  cutEnd,
  cutMiddle,
  formatAge,
  oneLine,
  type Palette,
  quoteForShell,
  textWidth,
  wrapText,
} from '@openbot/sessions/terminal-text';
import type { ParsedQuery } from '../../index-search/parse-query.ts';
import type { SearchHit } from '../../index-search/search.ts';
import type { Suggestion } from '../../index-search/suggest.ts';
import { isNamedByPath } from '../../index-writing/session-archives.ts';
import type { SearchInput } from './search-input.ts';

const INDENT = '   ';

/** The hits, each with the command that opens its place. */
export function formatHits(
  hits: readonly SearchHit[],
  openOf: (hit: SearchHit) => string,
  { palette, columns }: Pick<Terminal, 'palette' | 'columns'>,
  now: number,
): string {
  const width = Math.max(20, Math.min(columns, 120));
  return hits.map((hit) => formatHit(hit, openOf(hit), { palette, width, now })).join('\n');
}

function formatHit(
  hit: SearchHit,
  open: string,
  { palette, width, now }: { palette: Palette; width: number; now: number },
): string {
  const { snippet } = hit;
  const name = oneLine(hit.label ?? hit.title ?? hit.sessionKey ?? hit.sessionId);
  const about = [
    ...(hit.source === 'openbot' ? [] : [hit.source]),
    ...(hit.channel === null ? [] : [oneLine(hit.channel)]),
    hit.text === 'tools' && hit.speaker !== 'tool' ? `${hit.speaker}, a tool` : hit.speaker,
    ...(hit.at === null ? [] : [formatAge(hit.at, now)]),
  ].join(' · ');
  const room = width - 2 - textWidth(about);
  const head =
    room >= Math.min(textWidth(name), 16)
      ? [`${palette.bold(cutMiddle(name, room))}  ${palette.dim(about)}`]
      : [palette.bold(cutMiddle(name, width)), INDENT + palette.dim(cutEnd(about, width - INDENT.length))];
  const lines = wrapText(snippet.text, width - INDENT.length);
  return [
    ...head,
    ...paintLines(snippet.text, lines, snippet.hits, palette).map((line) => INDENT + line),
    // A command that is cut cannot be copied.
    INDENT + palette.cyan(open),
    '',
  ].join('\n');
}

/** Lines are parts of the text, in its order. */
function paintLines(
  text: string,
  lines: readonly string[],
  hits: readonly (readonly [number, number])[],
  palette: Palette,
): string[] {
  let at = 0;
  return lines.map((line) => {
    const start = text.indexOf(line, at);
    at = start + line.length;
    let painted = '';
    let done = start;
    for (const [from, to] of hits) {
      const begin = Math.max(from, done);
      const end = Math.min(to, at);
      if (begin >= end) continue;
      painted += text.slice(done, begin) + palette.yellow(palette.bold(text.slice(begin, end)));
      done = end;
    }
    return painted + text.slice(done, at);
  });
}

/** The command that shows where a message is, from the same shell. */
export function openCommand(
  hit: SearchHit,
  stateDir: string,
  flags: Pick<SearchInput['flags'], 'stateDir'>,
): string {
  const place = hit.entryId === null ? ['--turn', String(Math.max(1, hit.turn))] : ['--at', hit.entryId];
  const own = flags.stateDir === undefined ? [] : ['--state-dir', flags.stateDir];
  // A path leads to its transcript from anywhere.
  const where = isNamedByPath(hit.path) ? [] : hit.root === stateDir ? own : ['--source', hit.source];
  return ['openbot history', ...[nameOf(hit), ...place, ...where].map((word) => quoteForShell(word))].join(
    ' ',
  );
}

/** The transcripts of a session's topics share its id, but not the name of the file. */
function nameOf({ sessionId, path }: SearchHit): string {
  if (isNamedByPath(path)) return path;
  const stem = basename(path, '.jsonl');
  return stem.startsWith(`${sessionId}-topic-`) ? stem : sessionId;
}

/** Sentences for a search that found nothing. */
export function describeSuggestions(
  suggestion: Suggestion,
  { parts }: ParsedQuery,
  flags: SearchInput['flags'],
): string[] {
  const { unknown, inTools, withoutLimits, asWords } = suggestion;
  const limits = (['agent', 'channel', 'role', 'since'] as const).filter((name) => flags[name] !== undefined);
  return [
    ...unknown.map(({ word, nearest }) =>
      nearest === undefined
        ? `No message has '${oneLine(word)}'.`
        : `No message has '${oneLine(word)}'; the most similar word is '${oneLine(nearest)}'.`,
    ),
    ...(asWords
      ? ['The words are in a message, but not beside each other: leave out the quotation marks.']
      : []),
    ...(inTools ? ['Calls or results of tools have it: add --tools.'] : []),
    ...(withoutLimits && limits.length > 0
      ? [`Other messages have it: leave out ${limits.map((name) => `--${name}`).join(' or ')}.`]
      : []),
    ...(unknown.length === 0 && !asWords && !inTools && !withoutLimits && parts.length > 1
      ? ['Every word is in a message, but no message has all of them: try fewer words.']
      : []),
    ...(flags.source === undefined ? ['Sessions of other programs are searched with --source all.'] : []),
  ];
}
