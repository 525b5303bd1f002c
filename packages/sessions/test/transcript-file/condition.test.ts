import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { examineTranscript } from '../../src/exports/transcript.ts';
import { useTempFolder } from './temp-folder.ts';

const folder = useTempFolder();

const examine = (content: string) => {
  const path = join(folder.path, 's1.jsonl');
  writeFileSync(path, content);
  return examineTranscript(path);
};

it.each([
  ['of a tree', { type: 'message', id: 'a', parentId: null, message: { role: 'user', content: 'hi' } }],
  ['of a linear file', { type: 'message', message: { role: 'assistant', content: [] } }],
  ['that are flat, with their role as type', { type: 'user', content: 'hi' }],
  ['that are flat, with a role', { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }],
])('messages %s can be read without a header', async (_name, line) => {
  const text = `\0\0\0\n${JSON.stringify(line)}\n{"torn`;
  expect(await examine(text)).toBe('headless');
});

it.each([
  ['of the log of a program', { message: 'started', level: 'info' }],
  ['of another store', { 'agent:main:main': { sessionId: 's1' } }],
  ['of Claude Code', { type: 'user', uuid: 'u', sessionId: 's', message: { role: 'user', content: 'hi' } }],
])('JSON %s is no message', async (_name, line) => {
  expect(await examine(`${JSON.stringify(line)}\n`)).toBe('unreadable');
});
