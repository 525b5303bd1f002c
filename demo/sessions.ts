/** The life of one conversation, in a temp folder that is gone afterwards. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import {
  appendAssistantMessageToSessionTranscript,
  appendToTranscript,
  applyResetModelOverride,
  buildSessionFileEntry,
  composeUserMessage,
  ensureTranscript,
  initSessionState,
  loadSessionStore,
  type MsgContext,
  persistSessionUsageUpdate,
  type SessionInitResult,
} from '@openbot/sessions';

const stateDir = mkdtempSync(join(tmpdir(), 'openbot-demo-'));
const catalogue = {
  providers: { anthropic: ['claude-sonnet-4-5'], minimax: ['MiniMax-M2.1'] },
  defaults: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
};

try {
  console.log('One conversation with Alice on Telegram, from her first message to a fresh start.\n');

  const first = await receive('Good morning! Remind me to water the plants on Friday.');
  await answer(first, 'I will remind you on Friday.');

  const second = await receive('And what did I ask you for?');
  await answer(second, 'To be reminded to water the plants.');
  await show(second);

  const fresh = await receive('/new minimax Plan a picnic');
  await answer(fresh, 'Sandwiches, lemonade, a blanket.');
  await show(fresh);

  list(fresh.storePath);
} finally {
  rmSync(stateDir, { recursive: true, force: true });
}

async function receive(text: string): Promise<SessionInitResult> {
  const ctx: MsgContext = {
    Body: text,
    Provider: 'telegram',
    From: 'telegram:42',
    SenderName: 'Alice',
    ChatType: 'direct',
    SessionKey: 'agent:main:telegram:dm:42',
    CommandAuthorized: true,
  };
  const session = await initSessionState({ ctx, cfg: {}, stateDir });
  const { selection } = await applyResetModelOverride({ ...session, catalogue });
  console.log(`Alice: ${text}`);
  if (session.resetTriggered) console.log(`   reset: the old transcript is archived`);
  if (selection) console.log(`   model for this session: ${selection.provider}/${selection.model}`);
  console.log(`   ${session.isNewSession ? 'new session ' : 'same session'} ${session.sessionId}`);
  const { sessionId, sessionEntry } = session;
  const path = sessionEntry.sessionFile!;
  await ensureTranscript({ path, sessionId, cwd: stateDir });
  const message = composeUserMessage(session.sessionCtx.BodyStripped ?? '', Date.now());
  await appendToTranscript(path, { type: 'message', message });
  return session;
}

async function answer({ sessionKey, storePath, sessionId }: SessionInitResult, text: string): Promise<void> {
  await appendAssistantMessageToSessionTranscript({ sessionKey, storePath, text });
  const usage = { input: 40, output: 12, cacheRead: 200 };
  await persistSessionUsageUpdate({ storePath, sessionKey, sessionId, usage });
  console.log(`Agent: ${text}\n`);
}

async function show({ sessionEntry }: SessionInitResult): Promise<void> {
  const entry = await buildSessionFileEntry(sessionEntry.sessionFile!);
  console.log(`The transcript ${basename(sessionEntry.sessionFile!)} now reads:`);
  for (const line of entry!.content.split('\n')) console.log(`   ${line}`);
  console.log('');
}

function list(storePath: string): void {
  console.log('Sessions:');
  for (const [key, entry] of Object.entries(loadSessionStore(storePath))) {
    const model = entry.modelOverride ?? catalogue.defaults.model;
    console.log(`   ${key}  ${entry.sessionId}  ${entry.totalTokens} tokens  ${model}`);
  }
  console.log('Files:');
  for (const name of readdirSync(join(storePath, '..')).sort()) console.log(`   ${name}`);
}
