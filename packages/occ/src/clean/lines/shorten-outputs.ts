import {
  fromByteText,
  isStringAt,
  type MemberSpan,
  type Splice,
  toByteText,
} from '@openbot/sessions/rewrite';
import type { LineParts } from './line-parts.ts';
import { truncateToolResult } from './truncate.ts';

/** The elements in which Claude Code sends the output of commands and of background agents, as a person's text. */
const ELEMENTS = [
  'bash-stdout',
  'bash-stderr',
  'local-command-stdout',
  'local-command-stderr',
  'command-stdout',
  'task-notification',
];
/** The content of a file that a person named. */
const READING = '"<system-reminder>\\nResult of calling the ';
const END_OF_READING = '\\n</system-reminder>';
/** Precedes a report that arrived during a turn: no person wrote it. */
const NOTICE = '"<system-reminder>\\n[SYSTEM NOTIFICATION';
const BLANK = /(?: |\\[nrt])*/y;

/**
 * Shortens the output in the text of a person's line, element by element, from its beginning to the first that is none:
 * what a person wrote behind them keeps its bytes, and the elements stay closed.
 * @param text the span of the JSON of the text in the line; anything but a string is left alone
 * @param offset of the splice in the line
 */
export function shortenOutputs(
  parts: LineParts,
  text: Pick<MemberSpan, 'start' | 'end'>,
  splice: Splice,
  offset = 0,
): void {
  if (!isStringAt(parts.line, text.start)) return;
  const json = parts.line.slice(text.start, text.end);
  for (const [from, to] of findOutputs(json)) {
    const before = JSON.parse(`"${fromByteText(json.slice(from, to))}"`) as string;
    const after = truncateToolResult(before);
    if (after.length >= before.length) continue;
    const at = text.start - offset;
    splice.replace(at + from, at + to, toByteText(JSON.stringify(after).slice(1, -1)));
    noteOutput(parts, before.length - after.length);
  }
}

/** The spans of outputs in the JSON of a text. */
function* findOutputs(json: string): Generator<readonly [from: number, to: number]> {
  if (json.startsWith(READING)) {
    const end = json.lastIndexOf(END_OF_READING);
    if (end > 0) yield [json.indexOf('Result', 1), end];
    return;
  }
  for (let at = json.startsWith(NOTICE) ? json.indexOf('<task-notification>') : 1; at > 0; ) {
    BLANK.lastIndex = at;
    at += BLANK.exec(json)?.[0].length ?? 0;
    const name = ELEMENTS.find((element) => json.startsWith(`<${element}>`, at));
    if (name === undefined) return;
    const from = at + name.length + 2;
    const to = json.indexOf(`</${name}>`, from);
    if (to < 0) return;
    yield name === 'task-notification' ? findReport(json, from, to) : [from, to];
    at = to + name.length + 3;
  }
}

/** Only the report of a notification: its other elements name the task and the file with the whole report. */
function findReport(json: string, from: number, to: number): readonly [from: number, to: number] {
  const opening = json.indexOf('<result>', from);
  if (opening < 0 || opening >= to) return [to, to];
  const start = opening + '<result>'.length;
  const end = json.lastIndexOf('</result>', to);
  return [start, end < start ? to : end];
}

export function noteOutput({ cuts }: Pick<LineParts, 'cuts'>, characters: number): void {
  if (cuts === undefined) return;
  cuts.outputs++;
  cuts.outputCharacters += characters;
}
