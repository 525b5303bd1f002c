import {
  type MsgContext,
  OpenBotError,
  recordSessionMetaFromInbound,
  type StoredEntry,
} from '@openbot/sessions';
import { findSession, type SessionsOfAgent } from '../session-address.ts';
import type { EntryPatch, ReadValue, SessionSetting, SettingPlace } from './contract.ts';

/** A value for a setting, or a word that removes it. */
export async function readSetting(
  setting: SessionSetting,
  text: string,
  place: SettingPlace,
): Promise<ReadValue> {
  if (setting.unsetBy.includes(text.trim().toLowerCase()))
    return { isRead: true, patch: unsetPatch(setting) };
  return setting.read(text, place);
}

export function unsetPatch({ fields }: SessionSetting): EntryPatch {
  return Object.fromEntries(fields.map((field) => [field, undefined]));
}

/** Whether the session has it set, and not only the agent. */
export function isSet({ fields }: SessionSetting, entry: StoredEntry | undefined): boolean {
  return entry !== undefined && fields.some((field) => entry[field] !== undefined);
}

/**
 * Writes settings into the entry of a session. It does not count as use of the session, and a run that is under way keeps
 * the settings that it began with. Without an entry one is made for `message`; its session begins with the first one that
 * the agent reads.
 */
export async function changeSettings(
  sessions: SessionsOfAgent,
  sessionKey: string,
  patch: EntryPatch,
  { message, now }: { readonly message?: MsgContext; now(): number },
): Promise<StoredEntry> {
  if (message !== undefined && (await findSession(sessions, sessionKey)) === undefined)
    await recordSessionMetaFromInbound({ ...sessions, sessionKey, ctx: message, now });
  const found = await findSession(sessions, sessionKey);
  const changed =
    found && (await sessions.store.update(found.key, (entry) => entry && { ...entry, ...patch }));
  if (changed === undefined)
    throw new OpenBotError('SESSION_NOT_FOUND', `There is no session ${sessionKey}`, {
      hint: 'openbot sessions lists those that exist.',
    });
  return changed;
}
