import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SearchScope } from '../../src/storage/contract/found-session.ts';

export const FIXTURES = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures');

/** A home folder of its own for one test. */
export function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'occ-sources-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export function scopeAt(home: string, more: Partial<SearchScope> = {}): SearchScope {
  return { cwd: home, ...more, env: { HOME: home, ...more.env } };
}

/** Text or JSON at a path, its folders made. */
export function put(path: string, content: string | object): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** When a file was last written, in seconds since 2026. */
export function setAge(path: string, seconds: number): void {
  const time = Date.UTC(2026, 0, 1) / 1000 + seconds;
  utimesSync(path, time, time);
}

export function copyFixture(name: string, to: string): void {
  cpSync(join(FIXTURES, name), to, { recursive: true });
}

/** The folder of an agent's sessions. */
export function sessionsFolder(home: string, agentId = 'main', state = '.openclaw'): string {
  return join(home, state, 'agents', agentId, 'sessions');
}

export function header(sessionId: string, cwd = '/work/space'): string {
  return `${JSON.stringify({ type: 'session', version: 3, id: sessionId, timestamp: '2026-01-01T00:00:00.000Z', cwd })}\n`;
}

export function userLine(text: string): string {
  return `${JSON.stringify({ type: 'message', id: 'aaaa0001', parentId: null, message: { role: 'user', content: text } })}\n`;
}

/** The message that an agent writes before its tool runs. */
export function callLine(...calls: { id: string; name?: string; arguments: unknown }[]): string {
  const content = calls.map((call) => ({ type: 'toolCall', name: 'exec', ...call }));
  return `${JSON.stringify({ type: 'message', id: 'aaaa0002', parentId: 'aaaa0001', message: { role: 'assistant', content } })}\n`;
}

export function resultLine(toolCallId: string): string {
  const message = { role: 'toolResult', toolCallId, toolName: 'exec', content: [], isError: false };
  return `${JSON.stringify({ type: 'message', id: `r-${toolCallId}`, parentId: 'aaaa0002', message })}\n`;
}

/** Ids that are easy to tell apart: `1111…`, `2222…`. */
export function uuid(digit: string): string {
  return `${digit.repeat(8)}-0000-4000-8000-${digit.repeat(12)}`;
}
