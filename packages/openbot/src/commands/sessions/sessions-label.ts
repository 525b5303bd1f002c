import { OpenBotError, parseSessionLabel, redactSecrets, SESSION_LABEL_MAX_LENGTH } from '@openbot/sessions';
import { type CommandInput, writeJson } from '@openbot/sessions/command-line';
import { printable } from '@openbot/sessions/terminal-text';
import type { LABEL_FLAGS } from './flags.ts';
import { openChanges, openSession } from './place.ts';

/** Gives a session a name, or takes it away. */
export async function sessionsLabel(input: CommandInput<typeof LABEL_FLAGS>): Promise<void> {
  const { flags, terminal, words } = input;
  const [what, text] = words;
  const label = flags.clear ? readNone(text) : readLabel(text);
  const session = await openSession(input, what);
  const { key, keeper, entry } = session;
  const owner = label === undefined ? undefined : findOther(session.keeper.list(), key, label);
  if (owner !== undefined) {
    throw new OpenBotError('USAGE', `${owner} has the label '${label}' already`, {
      hint: `A label names one session. To take it away there: openbot sessions label '${owner}' --clear`,
    });
  }
  const changes = await openChanges(input, keeper);
  if (label !== entry.label) await changes.set(session, { label });
  if (flags.json) {
    writeJson(terminal, {
      key,
      sessionId: entry.sessionId,
      label: label ?? null,
      previousLabel: entry.label ?? null,
    });
    return;
  }
  const before = entry.label === undefined || entry.label === label ? '' : `, before '${entry.label}'`;
  const now = label === undefined ? 'has no label' : `is '${label}'`;
  terminal.say(`${printable(`${key} ${now}${before}`)}\n`);
}

function readLabel(text: string | undefined): string {
  const parsed = parseSessionLabel(text ?? '');
  // Labels are stored and compared in their redacted form.
  if (parsed.ok) return redactSecrets(parsed.label);
  throw new OpenBotError(
    'USAGE',
    text === undefined || text.trim() === ''
      ? 'Which label?'
      : `A label has at most ${SESSION_LABEL_MAX_LENGTH} characters on one line, without control characters`,
    { hint: 'Example: openbot sessions label main "day to day"; --clear removes the label' },
  );
}

function readNone(text: string | undefined): undefined {
  if (text === undefined) return undefined;
  throw new OpenBotError('USAGE', '--clear and a label contradict each other', {
    hint: 'Leave one of them out',
  });
}

function findOther(
  sessions: readonly { readonly key: string; readonly entry: { readonly label?: string } }[],
  key: string,
  label: string,
): string | undefined {
  return sessions.find((other) => other.key !== key && other.entry.label === label)?.key;
}
