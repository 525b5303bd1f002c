/**
 * An agent of OpenClaw's file era in the middle of a run: it has written the call of a command, holds the transcript
 * lock and runs the command in a shell, as its child. Told `end`, it writes the rest of the exchange and lets go.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { takeLock } from './openclaw-lock.mjs';

const [transcript, command, parentId] = process.argv.slice(2);
let last = parentId;

function say(id, message) {
  const timestamp = new Date().toISOString();
  appendFileSync(
    transcript,
    `${JSON.stringify({ type: 'message', id, parentId: last, timestamp, message })}\n`,
  );
  last = id;
}

say('run-1', { role: 'user', content: [{ type: 'text', text: 'Please clean yourself.' }] });
say('run-2', {
  role: 'assistant',
  content: [{ type: 'toolCall', id: 'call_clean', name: 'exec', arguments: { command } }],
  stopReason: 'toolUse',
});
let release = takeLock(transcript);

const shell = spawn('sh', ['-c', `${command}; true`], {
  env: { ...process.env, OPENCLAW_SHELL: 'exec', OPENCLAW_CLI: '1' },
  stdio: ['ignore', 'pipe', 'pipe'],
});
let stdout = '';
let stderr = '';
shell.stdout.on('data', (chunk) => {
  stdout += chunk;
});
shell.stderr.on('data', (chunk) => {
  stderr += chunk;
});
// `close` comes when the pipes are closed too: a process left behind that holds them would block the agent.
shell.on('close', (code) => console.log(`called ${JSON.stringify({ code, stdout, stderr })}`));

const STEPS = {
  /** The lock is let go and taken again several times during a run. */
  relock() {
    release();
    release = takeLock(transcript);
  },
  end() {
    say('run-3', {
      role: 'toolResult',
      toolCallId: 'call_clean',
      toolName: 'exec',
      content: [{ type: 'text', text: 'scheduled' }],
      isError: false,
    });
    release();
    release = takeLock(transcript);
    say('run-4', { role: 'assistant', content: [{ type: 'text', text: 'Done.' }], stopReason: 'stop' });
    release();
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  STEPS[line]();
  console.log(`did ${line}`);
}
