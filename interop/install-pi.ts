/** pi 1.x, whole but for packages that not every registry has. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ensurePackage, type StandIns } from './install-package.ts';

export const PI = '@earendil-works/pi-coding-agent';
export const NEWEST_PI = '1.5.2';

/** Checks of tool arguments: with the stand-in every argument is valid. */
const SCHEMA = `
const of = (type) => (options) => ({ type, ...options });
export const [str, num, int, bool, nul] = ['string', 'number', 'integer', 'boolean', 'null'].map(of);
export const arr = (items, options) => ({ type: 'array', items, ...options });
export const obj = (properties, options) => ({ type: 'object', properties, ...options });
export const opt = (schema) => schema;
export const oneOf = (values, options) => ({ enum: values, ...options });
export const union = (anyOf, options) => ({ anyOf, ...options });
export const formats = {};
export const compile = () => ({ parse: (value) => ({ ok: true, value }), check: () => true });
`;

/** Measurements that go nowhere. */
const TELEMETRY = `
const nothing = () => {};
const instrument = { add: nothing, record: nothing };
const metrics = { counter: () => instrument, upDownCounter: () => instrument, histogram: () => instrument };
const span = new Proxy({}, { get: () => nothing });
export const NOOP_TELEMETRY_CONTEXT = { metrics, startSpan: (_, act) => act(span) };
export const NOOP_TELEMETRY_METRICS = metrics;
export const defineTelemetrySchema = (schema) => schema;
export const createTypedMetrics = () => metrics;
export const createTypedSpanStarter = () => (_name, _attributes, act) => act(span);
`;

const STAND_INS: StandIns = {
  '@earendil-works/pi-schema': { 'index.js': SCHEMA },
  '@earendil-works/pi-telemetry': { 'index.js': TELEMETRY },
  '@earendil-works/pi-codemode': { 'index.js': 'export {};\n' },
  '@earendil-works/pi-mcp': { 'index.js': 'export {};\n' },
  '@earendil-works/pi-tui': { 'index.js': 'export {};\n' },
  'lovely-mermaid': { 'index.js': 'export {};\n' },
};

/** @returns the folder of its packages, `node_modules/@earendil-works` */
export async function ensurePi(version: string): Promise<string> {
  const folder = await ensurePackage(PI, version, { standIns: STAND_INS });
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  const bundle = './dist/bundle/index.js';
  // What a program imports of it needs its terminal interface, unless it comes from the bundle.
  if (existsSync(join(folder, bundle)) && manifest.exports['.'].import !== bundle) {
    manifest.exports['.'].import = bundle;
    writeFileSync(path, JSON.stringify(manifest));
  }
  return dirname(folder);
}
