import { join } from 'node:path';
import { loadSqlite } from '@openbot/sessions/disk';
import { expect, test } from 'vitest';
import { textsOf } from '../bot/bot-home.ts';
import { ToolHome } from '../session-tools/tool-home.ts';
import { startEmbeddings } from './embedding-server.ts';

interface Found {
  readonly results: readonly { readonly sessionKey?: string; readonly text: string }[];
}

test('what was said elsewhere is found by its meaning, and what another folder said is not', async () => {
  const api = await startEmbeddings();
  const home = new ToolHome()
    .on('look', { tool: 'memory_search', args: { query: 'automobile', limit: 1 } })
    .on('spy', { tool: 'memory_search', args: { query: 'xylophone' } });
  const bot = await home.start({
    config: {
      session: { dmScope: 'per-channel-peer' },
      index: { embedding: { baseUrl: api.baseUrl, model: 'm' } },
    },
  });
  for (const text of ['hello', 'my car is blue', 'bye']) {
    await home.chat.write('ada', text);
    await bot.idle();
  }
  const ask = async (message: string) =>
    JSON.parse(textsOf(await bot.say({ message }))[0] ?? 'null') as Found;
  const [first] = (await ask('look')).results;
  expect(first?.sessionKey).toMatch(/:ada$/);
  expect(first?.text).toContain('user: my car is blue');
  addForeign(join(home.stateDir, 'openbot.sqlite'), first!.sessionKey!);
  const spied = (await ask('spy')).results.map(({ text }) => text).join('\n');
  expect(spied).not.toContain('the pin is');
});

/** As `openbot search --source openclaw` leaves it: another program's session with the same agent and key. */
function addForeign(path: string, key: string): void {
  const db = new (loadSqlite().DatabaseSync)(path);
  const { lastInsertRowid: file } = db
    .prepare(
      `INSERT INTO files (kind, source, root, agent_id, session_key, path, mtime, size, generation, position, hash)
       VALUES ('transcript', 'openclaw', '/elsewhere', 'main', ?, '/elsewhere/a.jsonl', 0, 0, '', 0, '')`,
    )
    .run(key);
  db.prepare(
    "INSERT INTO sessions (id, session_id, agent_id, session_key, updated_at) VALUES (?, 's', 'main', ?, 0)",
  ).run(file, key);
  const { lastInsertRowid: message } = db
    .prepare("INSERT INTO messages (session, position, turn, speaker) VALUES (?, 0, 1, 'user')")
    .run(file);
  db.prepare("INSERT INTO said (rowid, text) VALUES (?, 'the pin is xylophone')").run(message);
  expect(db.prepare("SELECT count(*) AS n FROM said WHERE said MATCH 'xylophone'").get()?.n).toBe(1);
  db.close();
}
