import { weekdayOf } from '../agent-time.ts';
import { listSkillLines, SKILLS_INTRODUCTION } from '../skills/render-prompt.ts';
import { MEMORY_ADVICE, type PromptFacts } from './facts.ts';
import { compareLines } from './line-edits.ts';
import { purposeOfFile } from './workspace-files.ts';

/** Of one text. A longer change is found by reading the file. */
const MOST_CHARS = 4000;
const MOST_LINES = 80;

/**
 * What a conversation does not know yet, a line for each thing. What has not changed is not repeated.
 * @param declared names of the tools that the model is told of with each request
 */
export function describeNews(known: PromptFacts, now: PromptFacts, declared: readonly string[]): string[] {
  const news: string[] = [];
  if (now.date !== known.date || now.timeZone !== known.timeZone)
    news.push(`Today is ${weekdayOf(now.date!)}, ${now.date} (time zone ${now.timeZone}).`);
  if (now.channel !== undefined && now.channel !== known.channel)
    news.push(`Messages to you come from ${now.channel}${known.channel === undefined ? '' : ' now'}.`);
  if (now.sessionKey !== known.sessionKey || now.sessionId !== known.sessionId)
    news.push(
      `This conversation goes on in another session: session=${now.sessionKey}, sessionId=${now.sessionId}.`,
    );
  if (now.name !== known.name) news.push(`Your name is ${now.name} now.`);
  if (isMoved(known.workspaceDir, now.workspaceDir))
    news.push(`Your workspace is ${now.workspaceDir} now. Relative paths start there.`);
  if (isMoved(known.stateDir, now.stateDir)) news.push(`The state folder for occ is ${now.stateDir} now.`);
  if (now.isReadOnly !== known.isReadOnly)
    news.push(
      now.isReadOnly
        ? 'Your tools cannot change files of your workspace any more.'
        : `Your tools can change files of your workspace. ${MEMORY_ADVICE}`,
    );
  const changes = [
    ...describeText('the instructions of your configuration', known.systemPrompt, now.systemPrompt),
    ...describeSkills(known.skills, now.skills),
    ...describeTools(known.tools, now.tools, declared),
    ...describeOwnTools(known.ownTools, now.ownTools),
    ...describeText('the description of this group', known.groupIntro, now.groupIntro),
    ...describeText('the additional instructions', known.extra, now.extra),
  ];
  const names = [...new Set([...Object.keys(known.files), ...Object.keys(now.files)])];
  const files = names.flatMap((name) =>
    describeText(`${name} (${purposeOfFile(name)})`, known.files[name], now.files[name], name),
  );
  return [...news, ...changes, ...files];
}

function isMoved(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && before !== now;
}

/** @param file where the whole text can be read */
function describeText(label: string, before = '', after = '', file?: string): string[] {
  if (before === after) return [];
  if (after === '') return [`Gone: ${label}`];
  const edits = compareLines(before, after);
  const old = before.split('\n');
  const lines = edits.flatMap(([at, removed, ...added]) => [
    ...(before === '' ? [] : [`@ line ${at + 1}${at > 0 ? `, after: ${old[at - 1]}` : ''}`]),
    ...old.slice(at, at + removed).map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
  ]);
  const title = before === '' ? `New: ${label}` : `Changed: ${label}`;
  const isLong = lines.length > MOST_LINES || lines.reduce((sum, line) => sum + line.length, 0) > MOST_CHARS;
  if (isLong && file !== undefined) return [`${title}. It is too much to show here: read ${file}.`];
  return [title, ...lines];
}

function describeSkills(before = '', after = ''): string[] {
  const [old, now] = [listSkillLines(before), listSkillLines(after)];
  const gone = [...old.keys()].filter((name) => !now.has(name));
  const added = [...now].filter(([name]) => !old.has(name)).map(([, line]) => line);
  const changed = [...now].filter(([name, line]) => old.has(name) && old.get(name) !== line);
  return [
    ...(added.length === 0 ? [] : ['New skills', ...added]),
    ...(added.length > 0 && old.size === 0 ? [SKILLS_INTRODUCTION] : []),
    ...(changed.length === 0 ? [] : ['Changed skills', ...changed.map(([, line]) => line)]),
    ...(gone.length === 0 ? [] : [`Skills that are gone: ${gone.join(', ')}`]),
  ];
}

/** Those of the configuration. A model can call only what it was told of before the conversation. */
function describeTools(before: string | undefined, after = '', declared: readonly string[]): string[] {
  if (before === undefined || before === after) return [];
  const [old, now] = [before, after].map((names) => names.split(', ').filter(Boolean));
  const gone = old!.filter((name) => !now!.includes(name));
  const added = now!.filter((name) => !old!.includes(name));
  const [back, later] = [
    added.filter((name) => declared.includes(name)),
    added.filter((name) => !declared.includes(name)),
  ];
  return [
    ...(gone.length === 0 ? [] : [`Tools that you cannot use any more: ${gone.join(', ')}`]),
    ...(back.length === 0 ? [] : [`Tools that you can use again: ${back.join(', ')}`]),
    ...(later.length === 0
      ? []
      : [`New tools, which you get after the next compaction or reset: ${later.join(', ')}`]),
  ];
}

function describeOwnTools(before: string | undefined, after: string | undefined): string[] {
  if (before === undefined || after === undefined || before === after) return [];
  return [
    `Of the tools of Claude Code you can use now: ${after || 'none'}. Those that you do not have yet come after the next compaction or reset.`,
  ];
}
