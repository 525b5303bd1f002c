import { toJsonText } from '@openbot/sessions/terminal-text';
import type { HistoryItem, HistoryPart } from '../history-item.ts';
import type { HistoryHead, HistoryRenderer } from './contract.ts';

/** One JSON value with all messages, written message by message. */
export function renderAsJson(): HistoryRenderer {
  let isFirst = true;
  return {
    begin(head: HistoryHead) {
      return `${toJsonText(head, 2).slice(0, -2)},\n  "messages": [`;
    },
    item(item) {
      const text = toJsonText(describeItem(item), 2).replaceAll('\n', '\n    ');
      const between = isFirst ? '' : ',';
      isFirst = false;
      return `${between}\n    ${text}`;
    },
    end: () => (isFirst ? ']\n}\n' : '\n  ]\n}\n'),
  };
}

/** A line of JSON for each message, for what is followed. */
export function renderAsJsonLines(): HistoryRenderer {
  return { begin: () => '', item: (item) => `${toJsonText(describeItem(item))}\n`, end: () => '' };
}

function describeItem(item: HistoryItem): object {
  const { turn, id, at, isMarked, isOffPath } = item;
  const place = { turn: turn ?? null, id, at, marked: isMarked, otherBranch: isOffPath };
  if (item.kind === 'note') {
    return { ...place, role: 'note', note: item.about, text: item.text, detail: item.detail };
  }
  const { speaker, parts, provider, model, usage, failure } = item;
  const textOf = (kind: 'text' | 'thinking') =>
    parts.flatMap((part) => (part.kind === kind && part.text !== '' ? [part.text] : [])).join('\n\n');
  const ofKind = <Kind extends HistoryPart['kind']>(kind: Kind) =>
    parts.filter((part): part is Extract<HistoryPart, { kind: Kind }> => part.kind === kind);
  const images = ofKind('image').length;
  const results = ofKind('result').map(({ kind: _, ...result }) => result);
  return {
    ...place,
    role: speaker,
    text: textOf('text'),
    thinking: textOf('thinking') || undefined,
    calls: ofKind('call').map(({ id: callId, name, arguments: given, result }) => ({
      id: callId,
      name,
      arguments: given ?? null,
      result,
    })),
    results: results.length === 0 ? undefined : results,
    images: images === 0 ? undefined : images,
    provider,
    model,
    usage,
    failure,
  };
}
