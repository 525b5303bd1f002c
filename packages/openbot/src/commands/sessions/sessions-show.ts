import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { withRecordedWindow } from '../../kept-sessions/recorded-window.ts';
import type { SHOW_FLAGS } from './flags.ts';
import { openSession } from './place.ts';
import { formatSession } from './session-report.ts';

/** Shows what is known of a session. */
export async function sessionsShow(input: CommandInput<typeof SHOW_FLAGS>): Promise<void> {
  const { flags, terminal, words, env } = input;
  const { key, keeper, folder, ...found } = await openSession(input, words[0]);
  const now = Date.now();
  const entry = (await keeper.read(key)) ?? found.entry;
  const session = { key, entry };
  const described = {
    row: withRecordedWindow(keeper.toRow(session, folder.models, now), session),
    transcript: keeper.transcriptOf(session),
    archives: keeper.listArchives(entry.sessionId),
    user: await keeper.userOf(session),
  };
  if (flags.json) {
    const { row, transcript, archives, user } = described;
    writeJson(terminal, {
      ...{ key, agentId: row.agentId, sessionId: entry.sessionId, kind: row.kind },
      ...{ store: keeper.path, keptIn: keeper.keptIn, inUse: user ?? null },
      ...{ model: row.model, modelProvider: row.modelProvider },
      ...{ totalTokens: row.totalTokens, contextTokens: row.contextTokens },
      ...{ transcript, archives, entry },
    });
    return;
  }
  const { palette, maxLineWidth: columns } = terminal;
  const place = { stateDir: flags.stateDir, store: keeper };
  terminal.say(formatSession({ ...session, ...described, ...place }, { now, columns, palette, env }));
}
