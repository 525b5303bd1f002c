import { stripVTControlCharacters } from 'node:util';
import type { StoredSession } from '@openbot/sessions';
import {
  drawBar,
  formatAge,
  formatCount,
  formatPercent,
  formatQuantity,
  formatUsd,
  oneLine,
  padEnd,
  printable,
  quoteForShell,
  shorten,
  textWidth,
} from '@openbot/sessions/terminal-text';
import type { KeptArchive, KeptTranscript, SessionKeeper, SessionRow } from '../../kept-sessions/contract.ts';
import { formatSize, paintContext, showPath } from '../session-cells.ts';
import type { TableOptions } from './session-table.ts';

interface ShownSession extends StoredSession {
  readonly row: SessionRow;
  readonly transcript: KeptTranscript;
  readonly archives: readonly KeptArchive[];
  readonly user: string | undefined;
  readonly store: SessionKeeper;
  /** As it was given on the command line. */
  readonly stateDir: string | undefined;
}

type Fact = readonly [name: string, value: string | undefined | false];

/** Groups of facts; those that are not known are left out. */
export function formatSession(session: ShownSession, options: TableOptions): string {
  const { palette, columns } = options;
  const { key, entry } = session;
  const label = entry.label === undefined ? '' : `  "${oneLine(entry.label)}"`;
  const groups: (readonly [title: string, facts: readonly Fact[]])[] = [
    ['Session', sessionFacts(session, options)],
    ['Model', modelFacts(session)],
    ['Context', contextFacts(session, options)],
    ['Conversation', conversationFacts(session)],
    ['Settings', settingFacts(session)],
    ['Transcript', transcriptFacts(session, options)],
    ['Kept copies', session.archives.map((archive) => archiveFact(archive, options))],
    ['Other fields', [['in the entry', listOthers(session)]]],
  ];
  const lines = groups.flatMap(([title, facts]) => {
    const known = facts.filter((fact): fact is readonly [string, string] => Boolean(fact[1]));
    if (known.length === 0) return [];
    const width = Math.min(NAME_WIDTH, Math.max(...known.map(([name]) => name.length)));
    return [
      '',
      palette.bold(title),
      ...known.map(([name, value]) => {
        const start = `  ${padEnd(name, width)}  `;
        const isFitting = start.length + textWidth(stripVTControlCharacters(value)) <= columns;
        // Nothing is cut: ids and paths are there to be copied.
        return isFitting ? `${palette.dim(start)}${value}` : `${palette.dim(start.trimEnd())}\n    ${value}`;
      }),
    ];
  });
  const place = session.stateDir === undefined ? '' : ` --state-dir ${quoteForShell(session.stateDir)}`;
  const open = `To read it: openbot history ${quoteForShell(printable(entry.sessionId ?? key))}${place}`;
  return `${[palette.bold(printable(key)) + label, ...lines, '', printable(open)].join('\n')}\n`;
}

const NAME_WIDTH = 18;

function sessionFacts({ entry, row, store, user }: ShownSession, { now, env }: TableOptions): Fact[] {
  return [
    ['id', text(entry.sessionId)],
    ['agent', text(row.agentId)],
    ['kind', row.kind],
    ['spawned by', text(entry.spawnedBy)],
    ['kept in', `${showPath(store.path, env)} (${store.keptIn})`],
    ['began', time(entry.sessionStartedAt, now)],
    ['last used', time(entry.updatedAt, now)],
    ['last run', entry.status === undefined ? undefined : text(`${entry.status}${runTime(entry)}`)],
    ['in use', text(user)],
  ];
}

function runTime({ runtimeMs }: ShownSession['entry']): string {
  return runtimeMs === undefined ? '' : `, ${(runtimeMs / 1000).toFixed(1)} s`;
}

function modelFacts({ entry, row }: ShownSession): Fact[] {
  return [
    ['model', text(`${row.modelProvider}/${row.model}`)],
    ['chosen for it', entry.modelOverride ? 'yes' : undefined],
    ['thinking', text(entry.thinkingLevel)],
    ['reasoning', text(entry.reasoningLevel)],
    ['Agent SDK session', text(entry.sdkSessionId)],
  ];
}

const BAR = 20;

function contextFacts({ entry, row }: ShownSession, { palette, columns }: TableOptions): Fact[] {
  const { totalTokens, contextTokens, totalTokensFresh } = row;
  const figures =
    totalTokens === null
      ? `unknown, of ${formatCount(contextTokens)} tokens`
      : `${formatCount(totalTokens)} of ${formatCount(contextTokens)} tokens, ${formatPercent(totalTokens, contextTokens)}${totalTokensFresh ? '' : ' (out of date)'}`;
  // The room that the longest name leaves.
  const bar = Math.min(BAR, columns - figures.length - 12);
  const used =
    totalTokens === null || bar < 4
      ? figures
      : `${paintContext(padEnd(drawBar(totalTokens, contextTokens, bar), bar), row, palette)}  ${figures}`;
  const { inputTokens, outputTokens, estimatedCostUsd, compactionCount } = entry;
  return [
    ['used', used],
    ['input', inputTokens === undefined ? undefined : formatQuantity(inputTokens, 'token')],
    ['output', outputTokens === undefined ? undefined : formatQuantity(outputTokens, 'token')],
    ['cost', estimatedCostUsd === undefined ? undefined : formatUsd(estimatedCostUsd)],
    ['compactions', compactionCount ? formatCount(compactionCount) : undefined],
  ];
}

function conversationFacts({ entry }: ShownSession): Fact[] {
  const { origin, deliveryContext } = entry;
  return [
    ['name', text(entry.displayName ?? entry.subject ?? origin?.label)],
    ['chat', text(entry.chatType)],
    ['channel', text(deliveryContext?.channel ?? entry.lastChannel ?? entry.channel ?? origin?.provider)],
    ['answers go to', text(deliveryContext?.to ?? entry.lastTo)],
    ['account', text(deliveryContext?.accountId ?? entry.lastAccountId)],
    ['thread', text(String(deliveryContext?.threadId ?? entry.lastThreadId ?? ''))],
  ];
}

function settingFacts({ entry }: ShownSession): Fact[] {
  return [
    ['verbose', text(entry.verboseLevel)],
    ['usage', text(entry.responseUsage)],
    ['send', text(entry.sendPolicy)],
    ['activation', text(entry.groupActivation)],
    ['queue', text(entry.queueMode)],
    ['exec', text([entry.execHost, entry.execSecurity, entry.execAsk].filter(Boolean).join(', '))],
    ['permissions', entry.permissionsAdded?.length ? text(entry.permissionsAdded.join(', ')) : undefined],
  ];
}

function transcriptFacts({ transcript }: ShownSession, { env }: TableOptions): Fact[] {
  const { path, isThere, sizeBytes, lines, fault } = transcript;
  const size =
    lines === undefined
      ? formatSize(sizeBytes)
      : `${formatSize(sizeBytes)}, ${formatQuantity(lines, 'line')}`;
  return [
    ['path', showPath(path, env)],
    ['size', isThere ? size : undefined],
    ['missing', isThere ? undefined : text(fault ?? 'there is none yet')],
  ];
}

const KINDS: Readonly<Record<KeptArchive['kind'], string>> = {
  reset: 'before a reset',
  deleted: 'deleted',
  bak: 'before a compaction',
  damaged: 'damaged',
  backup: 'before a clean',
};

/** For people: `before a reset`. */
export function describeKind({ kind, isEntryOnly }: KeptArchive): string {
  return isEntryOnly ? `${KINDS[kind]}, no transcript` : KINDS[kind];
}

function archiveFact(archive: KeptArchive, { now, env }: TableOptions): Fact {
  const { at, path, sizeBytes } = archive;
  const age = at === undefined ? '' : `, ${formatAge(at, now)}`;
  return [describeKind(archive), `${showPath(path, env)} (${formatSize(sizeBytes)}${age})`];
}

/** Names of fields that are in no group, so that nothing is hidden. */
function listOthers({ entry }: ShownSession): string {
  return printable(
    Object.keys(entry)
      .filter((name) => !SHOWN.has(name))
      .join(', '),
  );
}

const SHOWN = new Set(
  `sessionId updatedAt sessionFile label spawnedBy sessionStartedAt status runtimeMs startedAt endedAt modelOverride providerOverride
  model modelProvider thinkingLevel reasoningLevel sdkSessionId totalTokens totalTokensFresh totalTokensVersion contextTokens inputTokens
  outputTokens estimatedCostUsd compactionCount displayName subject origin chatType deliveryContext channel lastChannel lastTo
  lastAccountId lastThreadId verboseLevel responseUsage sendPolicy groupActivation queueMode execHost execSecurity execAsk permissionsAdded`.split(
    /\s+/,
  ),
);

function text(value: string | undefined): string | undefined {
  return value === undefined || value === '' ? undefined : oneLine(shorten(value, 500));
}

function time(at: number | undefined, now: number): string | undefined {
  if (at === undefined || !Number.isFinite(at) || Math.abs(at) > 8.64e15) return undefined;
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC (${formatAge(at, now)})`;
}
