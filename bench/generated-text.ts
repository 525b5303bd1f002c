/** A small deterministic generator (mulberry32), so that every run measures the same file. */
export function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const WORDS =
  'session index result entry lock path value store reader window parent branch token cache model channel message record update handle state'.split(
    ' ',
  );

/**
 * Makes text as tools really return it (source code, listings, logs, prose, some JSON), because how often a quote or a
 * line end must be escaped decides what parsing costs.
 */
export function textMaker(random: () => number, nonAscii: boolean): (length: number) => string {
  const word = () => WORDS[Math.floor(random() * WORDS.length)]!;
  const number = () => Math.floor(random() * 10_000);
  const source = () =>
    random() < 0.15
      ? `  const ${word()} = ${word()}.get('${word()}') ?? '${word()}';\n`
      : random() < 0.3
        ? `    ${word()}.${word()}(${word()}, ${number()});\n`
        : `    if (${word()} === undefined) return ${word()}.${word()}(${word()} + ${number()});\n`;
  const listing = () =>
    `-rw-r--r-- 1 user user ${number()} Nov 15 18:${number() % 60} src/${word()}/${word()}.ts\n`;
  const log = () =>
    nonAscii && random() < 0.05
      ? ` ✓ ${word()} ${word()} — ${number()} ms\n`
      : `[2026-11-15T18:15:${number() % 60}.${number() % 1000}Z] INFO ${word()} ${word()} took ${number()}ms\n`;
  const prose = () => `${Array.from({ length: 14 }, word).join(' ')}.\n`;
  const json = () => `  "${word()}": { "${word()}": ${number()}, "${word()}": "${word()}" },\n`;
  const kinds = [source, source, source, source, source, listing, listing, log, log, log, prose, prose, json];
  return (length) => {
    const make = kinds[Math.floor(random() * kinds.length)]!;
    let text = '';
    while (text.length < length) text += make();
    return text;
  };
}

/** Lengths of results are long-tailed: many short, some long; the mean over all lines is about 3 KB. */
export function resultLength(random: () => number): number {
  return random() < 0.8 ? 1500 + random() * 6000 : 12_000 + random() * 6000;
}

export function hexMaker(random: () => number): (digits: number) => string {
  return (digits) => {
    let hex = '';
    while (hex.length < digits) {
      hex += Math.floor(random() * 0x100000000)
        .toString(16)
        .padStart(8, '0');
    }
    return hex.slice(0, digits);
  };
}
