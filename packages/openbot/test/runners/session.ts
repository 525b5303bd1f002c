import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionManager } from '@earendil-works/pi-coding-agent';
import type { EntryDraft } from '@openbot/sessions/transcript';
import { expect } from 'vitest';
import { afterTest } from '../../../../test/setup/cleaning.ts';
import { user } from '../../../sessions/test/setup/drafts.ts';
import { makeTempFolder } from '../../../sessions/test/setup/temp-folder.ts';
import type { ModelChoice, Run, RunEvent, RunRequest } from '../../src/runners/contract.ts';
import { FILE_TOOLS } from '../../src/tools/all.ts';
import type { RunTools } from '../../src/tools/contract.ts';
import { openRunTools } from '../../src/tools/run-tools.ts';
import type { ContextMessage, Transcripts } from '../../src/transcripts/contract.ts';
import { openFileTranscripts } from '../../src/transcripts/files/file-transcripts.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

type Line = Record<string, unknown> & { type: string; message?: Record<string, unknown> & { role: string } };

/** A session on disk whose last message is a person's, and a workspace. */
export interface TestSession {
  readonly path: string;
  readonly stateDir: string;
  readonly workspaceDir: string;
  readonly transcripts: Transcripts;
  /** Those of the files, confined to the workspace. */
  toolsNamed(...names: string[]): RunTools;
  append(
    drafts: readonly EntryDraft[],
  ): Promise<readonly { type: EntryDraft['type']; id: string | undefined }[]>;
  /** For a run that answers this prompt. */
  ask(prompt: string, more?: Partial<RunRequest>): Promise<RunRequest>;
  lines(): Line[];
  /** Messages as `role: text`, in which a call is `[name]`. */
  messages(): string[];
  readContext(): Promise<readonly ContextMessage[]>;
}

export async function makeSession(model: ModelChoice): Promise<TestSession> {
  const stateDir = makeTempFolder();
  const workspaceDir = join(stateDir, 'workspace');
  mkdirSync(workspaceDir);
  const path = join(stateDir, 'agents/main/sessions', `${SESSION}.jsonl`);
  const transcripts = openFileTranscripts(stateDir);
  afterTest(() => transcripts.close());
  const ref = {
    agentId: 'main',
    sessionKey: 'agent:main:main',
    sessionId: SESSION,
    sessionFile: path,
    cwd: workspaceDir,
  };
  const ownSession = {
    id: undefined as string | undefined,
    save: async (id: string | undefined) => {
      ownSession.id = id;
    },
  };
  const append = (drafts: readonly EntryDraft[]) => transcripts.append(ref, drafts);
  const readContext = () => transcripts.readContext(ref);
  const lines = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  return {
    path,
    stateDir,
    transcripts,
    workspaceDir,
    toolsNamed: (...names) => openRunTools(FILE_TOOLS, { workspaceDir }, names),
    append,
    lines,
    readContext,
    messages: () =>
      lines().flatMap(({ message }) => (message === undefined ? [] : [describeMessage(message)])),
    ask: async (prompt, more = {}) => {
      await append([user(prompt)]);
      return {
        transcript: ref,
        append,
        readContext,
        lookBack: () => transcripts.lookBack(ref),
        measureContext: () => transcripts.measureContext(ref),
        model,
        systemPrompt: { text: 'You help.', report: {} as never },
        prompt,
        workspaceDir,
        tools: openRunTools(FILE_TOOLS, { workspaceDir }),
        ownSession,
        permit: async () => ({ isAllowed: true }),
        signal: new AbortController().signal,
        ...more,
      };
    },
  };
}

function describeMessage({ role, content }: Record<string, unknown> & { role: string }): string {
  const blocks = (typeof content === 'string' ? [{ text: content }] : content) as Record<string, string>[];
  return `${role}: ${blocks.map(({ text, name, thinking }) => text ?? (name && `[${name}]`) ?? `(${thinking})`).join('')}`;
}

/** All events of a run. `onEvent` is awaited before the next one is asked for. */
export async function collect(
  run: Run,
  onEvent: (event: RunEvent) => unknown = () => {},
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run.events) {
    events.push(event);
    await onEvent(event);
  }
  return events;
}

export const typesOf = (events: readonly RunEvent[]) => events.map(({ type }) => type);
export const saidIn = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === 'text' ? event.delta : '')).join('');

/** What holds after every run, however it ended. */
export async function assertTranscriptHolds({ path, lines }: TestSession): Promise<void> {
  const copy = `${path}.copy`;
  copyFileSync(path, copy);
  const pi = SessionManager.open(copy);
  expect(pi.getEntries()).toEqual(lines().slice(1));
  const messages = pi.buildSessionContext().messages as unknown as Record<string, unknown>[];
  expect(messages.length).toBeGreaterThan(0);
  const open = new Set<unknown>();
  for (const { message } of lines()) {
    if (message?.role === 'toolResult') expect(open.delete(message.toolCallId)).toBe(true);
    if (message?.role !== 'assistant') continue;
    expect(message).toMatchObject({
      api: expect.any(String),
      provider: expect.any(String),
      model: expect.any(String),
      usage: { input: expect.any(Number), output: expect.any(Number), totalTokens: expect.any(Number) },
      stopReason: expect.stringMatching(/^(?:stop|toolUse|length|aborted|error)$/),
      timestamp: expect.any(Number),
    });
    for (const { type, id } of message.content as Record<string, unknown>[])
      if (type === 'toolCall') open.add(id);
  }
  expect([...open]).toEqual([]);
}
