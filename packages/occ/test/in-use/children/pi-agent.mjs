/** pi in the middle of a run: its own session manager, and a command in a shell as its child. */
import { spawnSync } from 'node:child_process';
import { SessionManager } from '@earendil-works/pi-coding-agent';

const [path, command] = process.argv.slice(2);
const pi = SessionManager.open(path);
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} };
const answer = (content, stopReason) =>
  pi.appendMessage({
    role: 'assistant',
    content,
    usage,
    stopReason,
    api: 'a',
    provider: 'p',
    model: 'm',
    timestamp: 2,
  });

pi.appendMessage({ role: 'user', content: [{ type: 'text', text: 'Please clean yourself.' }], timestamp: 1 });
answer([{ type: 'toolCall', id: 'call_clean', name: 'bash', arguments: { command } }], 'toolUse');
const env = { ...process.env, PI_CODING_AGENT: 'true' };
const {
  status: code,
  stdout,
  stderr,
} = spawnSync('sh', ['-c', `${command}; exit $?`], { env, encoding: 'utf8' });
pi.appendMessage({
  role: 'toolResult',
  toolCallId: 'call_clean',
  toolName: 'bash',
  content: [{ type: 'text', text: stdout }],
  isError: false,
  timestamp: 3,
});
answer([{ type: 'text', text: 'Done.' }], 'stop');
console.log(`called ${JSON.stringify({ code, stdout, stderr })}`);
