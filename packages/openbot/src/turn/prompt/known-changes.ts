import type { PromptFacts } from './facts.ts';
import { applyEdits, compareLines, type LineEdit } from './line-edits.ts';

type Plain = Omit<PromptFacts, 'files'>;

/** Facts that a conversation has come to know since its prefix was written. Null for one that holds no more. */
export type KnownChanges = { readonly [Name in keyof Plain]?: Plain[Name] | null } & {
  readonly files?: Readonly<Record<string, readonly LineEdit[] | null>>;
};

/** Undefined where nothing differs. */
export function compareFacts(known: PromptFacts, now: PromptFacts): KnownChanges | undefined {
  const { files: oldFiles, ...old } = known as PromptFacts & Record<string, unknown>;
  const { files, ...rest } = now as PromptFacts & Record<string, unknown>;
  const changes: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(old), ...Object.keys(rest)]))
    if (old[name] !== rest[name]) changes[name] = rest[name] ?? null;
  const edits = compareFiles(oldFiles, files);
  if (Object.keys(edits).length > 0) changes.files = edits;
  return Object.keys(changes).length > 0 ? changes : undefined;
}

function compareFiles(old: PromptFacts['files'], now: PromptFacts['files']) {
  const changed = Object.keys({ ...old, ...now }).filter((name) => old[name] !== now[name]);
  return Object.fromEntries(
    changed.map((name) => [name, now[name] === undefined ? null : compareLines(old[name] ?? '', now[name])]),
  );
}

export function applyChanges(known: PromptFacts, { files = {}, ...rest }: KnownChanges): PromptFacts {
  const facts: Record<string, unknown> = { ...known };
  for (const [name, value] of Object.entries(rest)) facts[name] = value ?? undefined;
  const texts: Record<string, string> = { ...known.files };
  for (const [name, edits] of Object.entries(files)) {
    if (edits === null) delete texts[name];
    else texts[name] = applyEdits(texts[name] ?? '', edits);
  }
  return { ...facts, files: texts } as PromptFacts;
}
