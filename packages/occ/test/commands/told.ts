/** What a transcript of OpenClaw's style holds, read without the code under test. */
import { readFileSync } from 'node:fs';
import type { Json } from './state-folder.ts';

export function readJsonLines(path: string): Json[] {
  return readRawLines(path)
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
}

/** Without their line ends. */
export function readRawLines(path: string): string[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

/** What people and the assistant said, in order. */
export function readSpoken(path: string): string[] {
  return readMessages(path)
    .filter(({ role }) => role === 'user' || role === 'assistant')
    .flatMap(({ role, content }) => textsOf(content).map((text) => `${role}: ${text}`));
}

/** Ids of the calls, in order. */
export function readCalls(path: string): string[] {
  return readCallBlocks(path).map(({ id }) => id);
}

export function readCallBlocks(path: string): Json[] {
  return readMessages(path).flatMap(({ content }) =>
    Array.isArray(content) ? content.filter(({ type }) => type === 'toolCall') : [],
  );
}

/** By the id of the call, the text of its result. */
export function readResults(path: string): Map<string, string> {
  const results = readMessages(path).filter(({ role }) => role === 'toolResult');
  return new Map(results.map(({ toolCallId, content }) => [toolCallId, textsOf(content).join('\n')]));
}

/** `call_<from>_0` to `call_<to - 1>_0`. */
export function callsOfTurns(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => `call_${from + index}_0`);
}

function readMessages(path: string): Json[] {
  return readJsonLines(path)
    .filter(({ type }) => type === 'message')
    .map(({ message }) => message);
}

function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  return (content as Json[]).filter(({ type }) => type === 'text').map(({ text }) => text);
}
