/**
 * An agent of OpenClaw's database in the middle of a run. Told `call <command>`, it writes the call down and runs it in a
 * shell, as its child; `answer <tokens>` ends the exchange with an answer that took so many, `end` the run. `local` as
 * the last argument: a run without the gateway, which no status tells of.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { appendTurn } from '../append-turn.ts';

const [path, sessionId, key, runId, kind] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string?,
];
const database = new DatabaseSync(path);
database.exec('PRAGMA busy_timeout = 60000');
const isLocal = kind === 'local';
let tokens = 0;

type Entry = Record<string, unknown>;

function changeEntry(change: (entry: Entry) => Entry): void {
  database.exec('BEGIN IMMEDIATE');
  const row = database.prepare('SELECT entry_json FROM session_nodes WHERE session_key = ?').get(key)!;
  const entry = change(JSON.parse(String(row.entry_json)));
  database
    .prepare('UPDATE session_nodes SET entry_json = ?, status = ? WHERE session_key = ?')
    .run(JSON.stringify(entry), (entry.status as string | undefined) ?? null, key);
  database.prepare('UPDATE session_nodes SET entry_valid = 1 WHERE session_key = ?').run(key);
  database.prepare('DELETE FROM session_canonical_validation_pending WHERE session_key = ?').run(key);
  database.exec('COMMIT');
}

function usage(total: number): object {
  return {
    input: total - 20,
    output: 20,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: total,
    cost: { total: 1 },
  };
}

const STEPS: Readonly<Record<string, (rest: string) => void | Promise<void>>> = {
  begin() {
    changeEntry(({ endedAt: _, lastRunId: __, ...entry }) => ({
      ...entry,
      activeWriterRunId: runId,
      ...(isLocal ? {} : { status: 'running', startedAt: Date.now(), lifecycleRunId: runId }),
    }));
    appendTurn(database, sessionId, '', [{ role: 'user', content: `Question of ${runId}` }]);
  },
  async call(command) {
    const call = { type: 'toolCall', id: `call-${runId}`, name: 'exec', arguments: { command } };
    appendTurn(database, sessionId, '', [{ role: 'assistant', content: [call], stopReason: 'toolUse' }]);
    console.log(`called ${JSON.stringify(await runInShell(command))}`);
    const content = [{ type: 'text', text: 'cleaned' }];
    const result = { role: 'toolResult', toolCallId: call.id, toolName: 'exec', content, isError: false };
    appendTurn(database, sessionId, '', [result]);
  },
  answer(rest) {
    tokens = Number(rest);
    const content = [{ type: 'text', text: `Answer of ${runId}` }];
    const message = { role: 'assistant', content, usage: usage(tokens), stopReason: 'stop' };
    appendTurn(database, sessionId, '', [message]);
  },
  end() {
    if (!isLocal)
      changeEntry(({ lifecycleRunId: _, ...entry }) => ({
        ...entry,
        status: 'done',
        endedAt: Date.now(),
        lastRunId: runId,
      }));
    changeEntry((entry) => ({
      ...entry,
      totalTokens: tokens,
      totalTokensFresh: true,
      contextBudgetStatus: { full: runId },
    }));
  },
};

async function runInShell(command: string): Promise<object> {
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
  return new Promise((resolve) => shell.on('close', (code) => resolve({ code, stdout, stderr })));
}

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const [step = '', ...rest] = line.split(' ');
  await STEPS[step]!(rest.join(' '));
  console.log(`did-${++count} ${step}`);
}
database.close();
