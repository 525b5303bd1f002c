import { redactSecrets } from '@openbot/sessions';
import { keepSummary } from './call-summary.ts';
import type { HistoryItem, HistoryPart } from './history-item.ts';
import type { HistoryHead } from './render/contract.ts';

/** The head with every secret in the names of the session hidden. */
export function redactHead(head: HistoryHead): HistoryHead {
  const { label, sessionKey } = head;
  return {
    ...head,
    ...(label !== undefined && { label: redactSecrets(label) }),
    ...(sessionKey !== undefined && { sessionKey: redactSecrets(sessionKey) }),
  };
}

/**
 * The item with every key, token and password in it hidden.
 * @param tools whether results of tools are shown in full; else no more than the beginning of each is
 */
export function redactItem(item: HistoryItem, tools: boolean): HistoryItem {
  if (item.kind === 'note') {
    const { detail } = item;
    return {
      ...item,
      text: redactSecrets(item.text),
      ...(detail !== undefined && { detail: redactSecrets(detail) }),
    };
  }
  const { failure } = item;
  return {
    ...item,
    parts: item.parts.map((part) => redactPart(part, tools ? redactSecrets : redactBeginning)),
    ...(failure !== undefined && { failure: redactSecrets(failure) }),
  };
}

/** Half a secret is not recognised, so that more is looked at than is kept. */
function redactBeginning(text: string): string {
  if (text.length <= LOOKED_AT) return redactSecrets(text);
  return keepSummary(redactSecrets(text.slice(0, LOOKED_AT)).slice(0, KEPT), text);
}

const LOOKED_AT = 8192;
const KEPT = 4096;

function redactPart(part: HistoryPart, redactResult: (text: string) => string): HistoryPart {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return { ...part, text: redactSecrets(part.text) };
    case 'result':
      return { ...part, text: redactResult(part.text) };
    case 'call': {
      const { result } = part;
      return {
        ...part,
        arguments: redactValue(part.arguments),
        ...(result !== undefined && { result: { ...result, text: redactResult(result.text) } }),
      };
    }
    default:
      return part;
  }
}

/** The value with the secrets in its texts hidden; the very same one where there are none. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactSecrets(value);
  if (Array.isArray(value)) {
    const items = value.map(redactValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [
    name,
    redactField(name, field),
  ]);
  const isChanged = fields.some(([name, field]) => field !== (value as Record<string, unknown>)[name]);
  return isChanged ? Object.fromEntries(fields) : value;
}

/** The name of a field tells what is in it: `{"password":"…"}`. */
function redactField(name: string, field: unknown): unknown {
  if (typeof field !== 'string' || field.length > LONGEST_VALUE) return redactValue(field);
  const redacted = redactSecrets(field);
  if (redacted !== field || field.trim() === '') return redacted;
  const before = `${name}: "`;
  const named = redactSecrets(`${before}${field}"`);
  return named.startsWith(before) && named.endsWith('"') ? named.slice(before.length, -1) : redacted;
}

const LONGEST_VALUE = 4096;
