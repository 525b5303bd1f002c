/** Transcripts that went through more than one program: lines lost, links crossed, ids given twice, the leaf moved about. */
import fc from 'fast-check';
import { claudeLines } from '../clean/arbitraries/claude-lines.ts';
import { claudeSteps } from '../clean/arbitraries/claude-steps.ts';
import { models } from '../clean/arbitraries/models.ts';
import { openclawLines } from '../clean/arbitraries/openclaw-lines.ts';
import { openclawSteps } from '../clean/arbitraries/openclaw-steps.ts';
import { TranscriptBytes, writtenLines } from '../clean/arbitraries/transcript-bytes.ts';
import { addOddities, oddities, withChunks } from './odd-values.ts';

type Json = Record<string, unknown>;

/** What happened to a line. Numbers choose lines. */
interface Damage {
  readonly kind: (typeof KINDS)[number] | (typeof OPENCLAW_KINDS)[number];
  readonly at: number;
  readonly other: number;
}

const KINDS = [
  'lost',
  'crossed',
  'same id',
  'no id',
  'no parent',
  'nowhere',
  'swapped',
  'null parent',
] as const;
const OPENCLAW_KINDS = ['leaf', 'leaf nowhere', 'reset', 'side', 'odd time'] as const;

const damages = (kinds: readonly Damage['kind'][]): fc.Arbitrary<Damage[]> =>
  fc.array(
    fc.record({ kind: fc.constantFrom(...kinds), at: fc.nat({ max: 200 }), other: fc.nat({ max: 200 }) }),
    { maxLength: 5 },
  );

function damage(lines: readonly Json[], done: readonly Damage[], id: string, parent: string): Json[] {
  const damaged = lines.map((line) => ({ ...line }));
  for (const { kind, at, other } of damaged.length === 0 ? [] : done) {
    const index = at % damaged.length;
    const line = damaged[index]!;
    const otherId = damaged[other % damaged.length]![id];
    const isHeader = line.type === 'session';
    const place = {
      id: `odd-${damaged.length}-${at}`,
      parentId: line.id ?? null,
      timestamp: '2026-02-01T00:00:00.000Z',
    };
    if (kind === 'lost' && damaged.length > 2) damaged.splice(index, 1);
    else if (kind === 'swapped') damaged.splice(index, 1, damaged[other % damaged.length]!, line);
    else if (kind === 'leaf') damaged.splice(index + 1, 0, { type: 'leaf', ...place, targetId: otherId });
    else if (kind === 'leaf nowhere')
      damaged.splice(index + 1, 0, { type: 'leaf', ...place, targetId: 'gone' });
    else if (kind === 'reset')
      damaged.splice(index + 1, 0, { type: 'reset', ...place, firstKeptEntryId: otherId });
    else if (isHeader) continue;
    else if (kind === 'crossed') line[parent] = otherId;
    else if (kind === 'same id') line[id] = otherId;
    else if (kind === 'no id') delete line[id];
    else if (kind === 'no parent') delete line[parent];
    else if (kind === 'nowhere') line[parent] = 'nowhere1';
    else if (kind === 'null parent') line[parent] = null;
    else if (kind === 'side') line.appendMode = 'side';
    else if (kind === 'odd time') line.timestamp = [1.5, 1e300, -1, '', null, 'soon'][other % 6];
  }
  return damaged;
}

const openclawForm = fc.constantFrom(
  ...([3, 3, 4, 2, '3'] as const).map((version) => ({ tree: true, version })),
  ...([undefined, 1] as const).map((version) => ({ tree: false, version })),
);

const oddOpenclaw = (forPi: boolean) =>
  fc
    .tuple(openclawSteps, openclawForm, models, damages(forPi ? KINDS : [...KINDS, ...OPENCLAW_KINDS]))
    .map(([steps, form, model, done]) =>
      damage(openclawLines(steps, { ...form, oddIds: false, forPi, model }), done, 'id', 'parentId'),
    );

const oddClaude = fc
  .tuple(claudeSteps, models, damages(KINDS))
  .map(([steps, model, done]) => damage(claudeLines(steps, model), done, 'uuid', 'parentUuid'));

export interface OddSource {
  readonly source: 'openclaw' | 'pi' | 'claude';
  readonly transcripts: fc.Arbitrary<TranscriptBytes>;
}

/** Transcripts that went through more than one program. */
export const ODD_SOURCES: readonly OddSource[] = [
  { source: 'openclaw', transcripts: writtenLines(oddOpenclaw(false)) },
  { source: 'pi', transcripts: writtenLines(oddOpenclaw(true), { forPi: true }) },
  { source: 'claude', transcripts: writtenLines(oddClaude) },
];

const strange = (lines: fc.Arbitrary<Json[]>, id: string) =>
  writtenStrangely(fc.tuple(lines, oddities).map(([objects, odd]) => addOddities(objects, odd, id)));

const writtenStrangely = (lines: fc.Arbitrary<Json[]>) =>
  withChunks(writtenLines(lines).map(({ bytes }) => bytes)).map((bytes) => new TranscriptBytes(bytes));

/** The same with ids and values that no program should write. */
export const STRANGE_SOURCES: readonly OddSource[] = [
  { source: 'openclaw', transcripts: strange(oddOpenclaw(false), 'id') },
  { source: 'pi', transcripts: strange(oddOpenclaw(true), 'id') },
  { source: 'claude', transcripts: strange(oddClaude, 'uuid') },
];
