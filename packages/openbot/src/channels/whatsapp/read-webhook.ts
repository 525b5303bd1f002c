import type { DeliveryReceipt } from '../contract.ts';
import { type Json, readId, readName, readObject, readObjects, readText } from '../http/hostile-json.ts';

/** Someone who writes. The user id decides who it is; the number is a link to them that may be absent or change. */
export interface Person {
  /** `US.13491208655302741918`, or the number of one who has no user id. */
  readonly id: string;
  /** `+4915112345678` */
  readonly number?: string;
  readonly name?: string;
  readonly username?: string;
}

export interface ArrivedMessage {
  readonly id: string;
  /** ms */
  readonly timestamp?: number;
  readonly sender: Person;
  /** Our number, for people. */
  readonly ownNumber?: string;
  readonly type: string;
  readonly fields: Json;
}

export interface ArrivedStatus {
  readonly id: string;
  readonly state: DeliveryReceipt['state'];
  /** What was given with the message. */
  readonly callbackData?: string;
  readonly error?: Json;
}

export interface Webhook {
  /** By time, as far as the network tells. */
  readonly messages: readonly ArrivedMessage[];
  readonly statuses: readonly ArrivedStatus[];
  /** What was left out, for the owner. The same cause has the same text. */
  readonly notices: readonly string[];
}

/** What a POST brings for one phone number. Nothing in it is trusted to have its shape. */
export function readWebhook(body: unknown, phoneNumberId: string): Webhook {
  const messages: ArrivedMessage[] = [];
  const statuses: ArrivedStatus[] = [];
  const notices: string[] = [];
  for (const value of listValues(body)) {
    const metadata = readObject(value.metadata);
    const number = readId(metadata?.phone_number_id);
    if (number !== phoneNumberId) {
      notices.push(
        `WhatsApp sent something for the phone number id ${number ?? '(none)'}, which this account does not have. It was ignored.`,
      );
      continue;
    }
    const contacts = readObjects(value.contacts);
    const ownNumber = readName(metadata?.display_phone_number);
    for (const message of readObjects(value.messages)) {
      const read = readMessage(message, contacts, ownNumber);
      if (typeof read === 'string') notices.push(read);
      else messages.push(read);
    }
    for (const status of readObjects(value.statuses)) {
      const read = readStatus(status);
      if (read !== undefined) statuses.push(read);
    }
    for (const error of readObjects(value.errors)) {
      notices.push(
        `WhatsApp reports an error: ${readName(error.message) ?? readName(error.title) ?? 'unknown'}`,
      );
    }
  }
  messages.sort((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  return { messages, statuses, notices };
}

function listValues(body: unknown): Json[] {
  return readObjects(readObject(body)?.entry)
    .flatMap(({ changes }) => readObjects(changes))
    .filter(({ field }) => field === 'messages')
    .map(({ value }) => readObject(value))
    .filter((value) => value !== undefined);
}

/** A text says why the message is left out. */
function readMessage(message: Json, contacts: readonly Json[], ownNumber?: string): ArrivedMessage | string {
  if (message.group_id !== undefined) {
    return 'WhatsApp sent a message of a group. Groups are not supported, and it was ignored.';
  }
  const type = readId(message.type, 40) ?? 'unknown';
  const fields = readObject(message[type]) ?? {};
  if (type === 'system') {
    return `WhatsApp says of a person: ${readName(fields.body) ?? 'something changed'}. Their user id may be another one now: see allowFrom and session.identityLinks.`;
  }
  const id = readId(message.id);
  const sender = readSender(message, contacts);
  if (id === undefined || sender === undefined) {
    return 'WhatsApp sent a message without an id or a sender. It was ignored.';
  }
  const seconds = Number(message.timestamp);
  const timestamp = seconds > 0 && seconds < 1e11 ? seconds * 1000 : undefined;
  return { id, timestamp, sender, ownNumber, type, fields: message };
}

const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$/;

function readSender(message: Json, contacts: readonly Json[]): Person | undefined {
  const digits = readDigits(message.from);
  const said = readUserId(message.from_user_id) ?? readUserId(message.from);
  const contact = contacts.find(({ wa_id, user_id }) =>
    said === undefined ? digits !== undefined && readDigits(wa_id) === digits : readUserId(user_id) === said,
  );
  // One who hides the number is named by the contact alone.
  const isUnnamed = message.from === undefined && message.from_user_id === undefined;
  const only = contacts.length === 1 && isUnnamed ? contacts[0] : undefined;
  const profile = contact ?? only;
  const number = digits ?? readDigits(profile?.wa_id);
  const id = said ?? readUserId(profile?.user_id) ?? (number && `+${number}`);
  if (id === undefined) return undefined;
  const names = readObject(profile?.profile);
  return {
    id,
    number: number && `+${number}`,
    name: readName(names?.name),
    username: readName(names?.username),
  };
}

function readUserId(value: unknown): string | undefined {
  return typeof value === 'string' && USER_ID.test(value) ? value : undefined;
}

function readDigits(value: unknown): string | undefined {
  const text = readId(value, 24)?.replace(/^\+/, '');
  return text !== undefined && /^\d{5,20}$/.test(text) ? text : undefined;
}

const STATES: readonly string[] = [
  'sent',
  'delivered',
  'read',
  'failed',
] satisfies DeliveryReceipt['state'][];

function readStatus(status: Json): ArrivedStatus | undefined {
  const id = readId(status.id);
  if (id === undefined || !STATES.includes(String(status.status))) return undefined;
  return {
    id,
    state: status.status as DeliveryReceipt['state'],
    callbackData: readText(status.biz_opaque_callback_data),
    error: readObjects(status.errors)[0],
  };
}
