import { expect, it } from 'vitest';
import { type ParsedFile, parseSources } from './parse.ts';

function parse(text: string): ParsedFile {
  return parseSources(new Map([['packages/a/src/a.ts', text]]))[0] as ParsedFile;
}

const sites = (text: string) =>
  parse(text).imports.map(({ form, specifier, names }) => [form, specifier, ...names]);
const globals = (text: string) =>
  parse(text).globals.map(({ name, member, use, argumentCount }) => [name, member, use, argumentCount]);

it('sees every form of import', () => {
  const text = [
    `import './effect.ts';`,
    `import whole, { one, two as deux, type Three } from './named.ts';`,
    `import * as space from "./space.ts";`,
    `import type { Only } from './only.ts';`,
    `import { type Inline } from './inline.ts';`,
    `export { four as vier } from './re-export.ts';`,
    `export type { Five } from './re-type.ts';`,
    `const lazy = await import('./lazy.ts');`,
    'const plain = await import(`./template.ts`);',
    'const computed = await import(lazy);',
    `type Far = import('./far.ts').Far;`,
    `const old = require('./old.cjs');`,
  ].join('\n');
  expect(sites(text)).toEqual([
    ['import', './effect.ts'],
    ['import', './named.ts', 'default', 'one', 'two'],
    ['import', './space.ts', '*'],
    ['type', './only.ts'],
    ['import', './inline.ts'],
    ['export', './re-export.ts', 'four'],
    ['type', './re-type.ts'],
    ['dynamic', './lazy.ts', '*'],
    ['dynamic', './template.ts', '*'],
    ['dynamic', undefined, '*'],
    ['type', './far.ts'],
    ['require', './old.cjs', '*'],
  ]);
});

it('sees an import over several lines, and says on which line it starts', () => {
  const [site] = parse(
    `// first\n\nimport {\n  a, // from './not.ts'\n  b,\n} from\n  './real.ts';\n`,
  ).imports;
  expect(site).toEqual({ specifier: './real.ts', form: 'import', names: ['a', 'b'], line: 3 });
});

it('is not misled by comments, strings, templates and regular expressions', () => {
  const text = [
    `// import a from './comment.ts';`,
    `/* export * from './block.ts'; */`,
    `/** import('./doc.ts') */`,
    `const s = "import b from './string.ts'";`,
    `const e = 'it\\'s import("./escaped.ts")';`,
    "const t = `import c from './template.ts'`;",
    `const r = /import d from '.\\/regex.ts'/;`,
    `const u = 'https://example.org'; // import('./after-url.ts')`,
    `const o = { import: 1, from: './member.ts', require() {} };`,
    `const call = o.require();`,
  ].join('\n');
  const file = parse(text);
  expect(file.imports).toEqual([]);
  expect(file.exportStars).toEqual([]);
});

it('looks inside the expressions of a template', () => {
  const text = `const t = \`import('./text.ts') \${await import('./code.ts')} \${\`\${Date.now()}\`}\`;`;
  expect(sites(text)).toEqual([['dynamic', './code.ts', '*']]);
  expect(globals(text)).toEqual([['Date', 'now', 'value', 0]]);
});

it('sees export * in both spellings, and no other export', () => {
  const text = `export * from './a.ts';\nexport { b } from './b.ts';\nexport * as c from './c.ts';\nexport const d = 1;\n`;
  expect(parse(text).exportStars).toEqual([1, 3]);
});

it('recognises how a global is used', () => {
  expect(globals('new Date();')).toEqual([['Date', undefined, 'new', 0]]);
  expect(globals('new Date;')).toEqual([['Date', undefined, 'new', 0]]);
  expect(globals('new Date(0);')).toEqual([['Date', undefined, 'new', 1]]);
  expect(globals('Date();')).toEqual([['Date', undefined, 'call', 0]]);
  expect(globals(`Date['now']();`)).toEqual([['Date', 'now', 'value', 0]]);
  expect(globals('const { now } = Date;')).toEqual([['Date', undefined, 'value', 0]]);
  expect(globals('const f = (at = Date.now) => at();')).toEqual([['Date', 'now', 'value', 0]]);
  expect(globals('const o = { performance };')).toEqual([['performance', undefined, 'value', 0]]);
  expect(globals('export { setTimeout as wait };')).toEqual([['setTimeout', undefined, 'value', 0]]);
  expect(globals('class Later extends Date {}')).toEqual([['Date', undefined, 'value', 0]]);
  expect(globals('const f = (x: unknown) => x instanceof Date;')).toEqual([
    ['Date', undefined, 'instanceof', 0],
  ]);
});

it('does not take names and types for globals', () => {
  const text = [
    `import { process } from './x.ts';`,
    `export { performance } from './x.ts';`,
    'const run = (setTimeout: number) => setTimeout + process;',
    'interface Clock extends Date { fetch: string; Date: Date }',
    'const o: { Date: number } = { Date: 1 };',
    'const m = o.Date;',
    'class Box implements Date { console = 1; eval() {} }',
    'type T = typeof Date;',
  ].join('\n');
  expect(parse(text).globals).toEqual([]);
});

it('keeps scopes apart: a local name in one function does not hide the global in another', () => {
  const text = 'const a = (process: number) => process;\nconst b = () => process;';
  expect(parse(text).globals).toEqual([expect.objectContaining({ name: 'process', line: 2 })]);
});

it('counts lines as an editor does', () => {
  expect(parse('const a = 1;\nconst b = 2;\n').lineCount).toBe(2);
  expect(parse('const a = 1;\nconst b = 2;').lineCount).toBe(2);
});

it('collects strings, not comments', () => {
  const { strings } = parse("const a = 'CODE_A'; const b = `CODE_B`; // 'CODE_C'");
  expect([...strings]).toEqual(['CODE_A', 'CODE_B']);
});

it('refuses text that does not parse', () => {
  expect(() => parse('const = ;')).toThrow(/packages\/a\/src\/a.ts does not parse/);
});
