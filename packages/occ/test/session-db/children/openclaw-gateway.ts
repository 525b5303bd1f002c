/**
 * A gateway whose agent is in the middle of a run: it has written the call of a command and runs it in a shell, as its
 * child. Told `end`, it writes the rest of the exchange. With a model, it thinks.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { appendTurn } from '../append-turn.ts';

const [path, sessionId, command, model] = process.argv.slice(2) as [string, string, string, string?];
const thinking = model === undefined ? [] : [{ type: 'thinking', thinking: 'hm', thinkingSignature: 'c2ln' }];
const database = new DatabaseSync(path);
const say = (...messages: object[]) => appendTurn(database, sessionId, '', messages);

say(
  { role: 'user', content: 'Please clean yourself.' },
  {
    role: 'assistant',
    content: [...thinking, { type: 'toolCall', id: 'call_clean', name: 'exec', arguments: { command } }],
    model,
    stopReason: 'toolUse',
  },
);
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
shell.on('close', (code) => console.log(`called ${JSON.stringify({ code, stdout, stderr })}`));

createInterface({ input: process.stdin }).once('line', () => {
  say(
    {
      role: 'toolResult',
      toolCallId: 'call_clean',
      toolName: 'exec',
      content: [{ type: 'text', text: stdout }],
      isError: false,
    },
    {
      role: 'assistant',
      content: [...thinking, { type: 'text', text: 'I am clean.' }],
      model,
      stopReason: 'stop',
    },
  );
  database.close();
  console.log('did end');
  process.exit(0);
});
