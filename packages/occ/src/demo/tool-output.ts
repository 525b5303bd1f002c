import type { DemoCall } from './conversation.ts';

/** Numbers from 0 to 1 that are the same in every demo. */
export type Dice = () => number;

export function makeDice(seed: number): Dice {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const NOUNS = ['pump', 'vent', 'bed', 'reading', 'sensor', 'valve', 'interval', 'forecast', 'queue', 'alarm'];
const VERBS = ['open', 'close', 'read', 'check', 'start', 'stop', 'average', 'schedule', 'report', 'retry'];

const pick = <Item>(dice: Dice, items: readonly Item[]): Item => items[Math.floor(dice() * items.length)]!;
const numberFrom = (dice: Dice, low: number, high: number): number =>
  low + Math.floor(dice() * (high - low + 1));
const linesOf = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const hex = (dice: Dice, digits: number): string =>
  linesOf(digits, () => numberFrom(dice, 0, 15).toString(16)).replaceAll('\n', '');

/** What the tool gave back: as long, and as dull to read again, as such things are. */
export function composeOutput([tool, target]: DemoCall, dice: Dice): string {
  if (tool === 'read') return composeSource(target, dice);
  if (tool === 'edit') return `Successfully replaced ${numberFrom(dice, 1, 4)} block(s) in ${target}.`;
  if (tool === 'grep') return composeMatches(target, dice);
  if (tool === 'web_fetch') return composePage(target, dice);
  return composeShellOutput(target, dice);
}

function composeSource(path: string, dice: Dice): string {
  return linesOf(numberFrom(dice, 90, 260), (index) => {
    const noun = pick(dice, NOUNS);
    const verb = pick(dice, VERBS);
    if (index === 0) return `// ${path}`;
    if (dice() < 0.2) return '';
    return pick(dice, [
      `export function ${verb}${noun[0]!.toUpperCase()}${noun.slice(1)}(id: number): void {`,
      `  const ${noun} = await this.${verb}(id, { retries: ${numberFrom(dice, 1, 5)} });`,
      `  if (${noun}.value < ${numberFrom(dice, 5, 95)}) return ${verb}(${noun});`,
      `  log.info('${verb} ${noun}', { id, after: ${numberFrom(dice, 10, 900)} });`,
    ]);
  });
}

function composeMatches(word: string, dice: Dice): string {
  return linesOf(numberFrom(dice, 14, 60), () => {
    const place = `src/${pick(dice, NOUNS)}.ts:${numberFrom(dice, 3, 380)}`;
    return `${place}:  ${pick(dice, VERBS)}(${word}, ${numberFrom(dice, 1, 60)}); // ${pick(dice, NOUNS)}`;
  });
}

function composePage(url: string, dice: Dice): string {
  const paragraphs = linesOf(numberFrom(dice, 20, 45), () => {
    const sentence = () =>
      `The ${pick(dice, NOUNS)} can ${pick(dice, VERBS)} at most ${numberFrom(dice, 2, 90)} times an hour.`;
    return `${sentence()} ${sentence()} ${sentence()}`;
  });
  return `# ${url}\n\n${paragraphs}`;
}

function composeShellOutput(command: string, dice: Dice): string {
  if (command.includes('npm test')) return composeTestRun(dice);
  if (command.startsWith('git')) return composeGit(dice);
  if (command.startsWith('curl') || command.includes('audit')) return composeReadings(dice);
  return linesOf(numberFrom(dice, 60, 180), (index) => {
    const time = `${String(8 + Math.floor(index / 20)).padStart(2, '0')}:${String((index * 3) % 60).padStart(2, '0')}`;
    const event = `${pick(dice, VERBS)} ${pick(dice, NOUNS)} ${numberFrom(dice, 1, 6)}`;
    return `Oct 12 ${time} greenhouse[412]: ${event}: ${numberFrom(dice, 18, 61)}% (${hex(dice, 6)})`;
  });
}

function composeTestRun(dice: Dice): string {
  const count = numberFrom(dice, 60, 150);
  const tests = linesOf(count, () => {
    const name = `${pick(dice, NOUNS)} > can ${pick(dice, VERBS)} a ${pick(dice, NOUNS)}`;
    return ` ok  test/${pick(dice, NOUNS)}.test.ts > ${name}  ${numberFrom(dice, 1, 40)}ms`;
  });
  return `${tests}\n\n Tests  ${count} passed (${count})`;
}

function composeGit(dice: Dice): string {
  return linesOf(numberFrom(dice, 12, 40), () => {
    return `${hex(dice, 7)} ${pick(dice, VERBS)} the ${pick(dice, NOUNS)} before the ${pick(dice, NOUNS)}`;
  });
}

function composeReadings(dice: Dice): string {
  const readings = Array.from({ length: numberFrom(dice, 50, 140) }, (_, index) => ({
    bed: 1 + (index % 6),
    moisture: numberFrom(dice, 22, 58),
    volts: numberFrom(dice, 240, 330) / 100,
    ok: dice() > 0.05,
  }));
  return JSON.stringify({ readings }, null, 1);
}
