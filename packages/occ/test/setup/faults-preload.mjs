/**
 * Loaded into a real process by `node --import`: counts what it does to the disk, and strikes at one such call. What
 * to do stands as JSON in FAULTS; see faults.ts. Plain JavaScript, because it starts faster.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants } from 'node:os';
import { isMainThread } from 'node:worker_threads';

const { writeFileSync, writeSync, readlinkSync } = fs;
const { at = 0, strike, forGood = false, ops, under, log } = JSON.parse(process.env.FAULTS ?? '{}');

const calls = [];
let counted = 0;
let depth = 0;

/** Whether this call is the one. */
function isStruck(op, target) {
  if (depth > 0) return false;
  if (ops !== undefined && !ops.includes(op)) return false;
  if (under !== undefined && !String(target).startsWith(under)) return false;
  counted++;
  if (log !== undefined) calls.push(`${op} ${target}`);
  return strike !== undefined && (forGood ? counted >= at : counted === at);
}

function die() {
  process.kill(process.pid, 'SIGKILL');
  // The signal is on its way; not one more statement of the program may run.
  for (;;);
}

function makeError(op, target) {
  const error = new Error(`${strike}: made by the test, ${op} '${target}'`);
  return Object.assign(error, { code: strike, errno: -(constants.errno[strike] ?? 1), syscall: op });
}

const nameOf = (fd) => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return `fd ${fd}`;
  }
};

/** Before the call itself: dies, throws, or lets half of a write happen first. */
function before(op, target, writeHalf) {
  if (strike === 'kill-after') return;
  if (strike === 'kill-before') die();
  writeHalf?.();
  if (strike === 'kill-half') die();
  throw makeError(op, target);
}

/** The bytes that a write call is given, where they are plain to see. */
function bytesOf(data, offset, length) {
  if (typeof data === 'string') return Buffer.from(data);
  if (!ArrayBuffer.isView(data)) return undefined;
  const whole = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const from = typeof offset === 'number' ? offset : (offset?.offset ?? 0);
  const count = typeof offset === 'object' ? offset?.length : length;
  return whole.subarray(from, from + (count ?? whole.length - from));
}

function halfToDescriptor(fd, [data, offset, length, position]) {
  const bytes = bytesOf(data, offset, length);
  if (bytes === undefined || bytes.length < 2) return;
  const place = typeof offset === 'object' && offset !== null ? offset.position : position;
  writeSync(fd, bytes, 0, bytes.length >> 1, typeof place === 'number' ? place : null);
}

function halfToFile(path, data, flag) {
  const bytes = bytesOf(data);
  if (bytes === undefined || typeof path === 'number') return;
  writeFileSync(path, bytes.subarray(0, bytes.length >> 1), { flag });
}

const isCreating = (flags) =>
  typeof flags === 'number'
    ? (flags & (fs.constants.O_CREAT | fs.constants.O_TRUNC)) !== 0
    : /[wax]/.test(flags ?? 'r');

/** What to count: by name of the function, how to tell the target and how to do half of it. */
const BY_PATH = {
  writeFile: { op: 'write', half: ([path, data]) => halfToFile(path, data, 'w') },
  appendFile: { op: 'write', half: ([path, data]) => halfToFile(path, data, 'a') },
  rename: { op: 'rename', target: ([, to]) => to },
  link: { op: 'link', target: ([, to]) => to },
  symlink: { op: 'link', target: ([, to]) => to },
  unlink: { op: 'unlink' },
  rm: { op: 'unlink' },
  copyFile: { op: 'copyFile', target: ([, to]) => to },
  cp: { op: 'copyFile', target: ([, to]) => to },
  truncate: { op: 'truncate' },
  mkdir: { op: 'mkdir' },
  open: { op: 'open', when: ([, flags]) => isCreating(flags) },
};
const BY_DESCRIPTOR = {
  write: { op: 'write', half: ([fd, ...rest]) => halfToDescriptor(fd, rest) },
  writev: { op: 'write' },
  fsync: { op: 'fsync' },
  fdatasync: { op: 'fsync' },
  ftruncate: { op: 'truncate' },
};
const OF_HANDLES = {
  write: { op: 'write', half: (args, handle) => halfToDescriptor(handle.fd, args) },
  writev: { op: 'write' },
  writeFile: { op: 'write', half: ([data], handle) => halfToDescriptor(handle.fd, [data]) },
  appendFile: { op: 'write', half: ([data], handle) => halfToDescriptor(handle.fd, [data]) },
  sync: { op: 'fsync' },
  datasync: { op: 'fsync' },
  truncate: { op: 'truncate' },
};

/** undefined: not to be counted. Else the target. */
function targetOf(kind, rule, args, self) {
  if (rule.when !== undefined && !rule.when(args)) return undefined;
  if (kind === 'path') return rule.target?.(args) ?? args[0];
  const fd = kind === 'handle' ? self.fd : args[0];
  return fd <= 2 ? undefined : nameOf(fd);
}

function wrap(owner, name, kind, style, rule) {
  const original = owner[name];
  if (typeof original !== 'function') return;
  owner[name] = function (...args) {
    const target = targetOf(kind, rule, args, this);
    if (target === undefined || !isStruck(rule.op, target)) return pass(original, this, args, style);
    if (strike.startsWith('SIG')) {
      // The program hears of it when it next looks around; until then it goes on.
      process.kill(process.pid, strike);
      return pass(original, this, args, style);
    }
    const writeHalf = rule.half === undefined ? undefined : () => rule.half(args, this);
    if (style === 'promise') return strikePromise(original, this, args, rule.op, target, writeHalf);
    if (style === 'callback') return strikeCallback(original, this, args, rule.op, target, writeHalf);
    before(rule.op, target, writeHalf);
    pass(original, this, args, style);
    return die();
  };
}

/** One function of Node may use another; only the outer one counts. */
function pass(original, self, args, style) {
  if (style !== 'sync') return original.apply(self, args);
  depth++;
  try {
    return original.apply(self, args);
  } finally {
    depth--;
  }
}

async function strikePromise(original, self, args, op, target, writeHalf) {
  before(op, target, writeHalf);
  await original.apply(self, args);
  return die();
}

function strikeCallback(original, self, args, op, target, writeHalf) {
  const done = args.at(-1);
  try {
    before(op, target, writeHalf);
  } catch (error) {
    process.nextTick(done, error);
    return undefined;
  }
  return original.apply(self, [...args.slice(0, -1), die]);
}

for (const [name, rule] of Object.entries(BY_PATH)) {
  wrap(fs, name, 'path', 'callback', rule);
  wrap(fs, `${name}Sync`, 'path', 'sync', rule);
  wrap(fs.promises, name, 'path', 'promise', rule);
}
for (const [name, rule] of Object.entries(BY_DESCRIPTOR)) {
  wrap(fs, name, 'descriptor', 'callback', rule);
  wrap(fs, `${name}Sync`, 'descriptor', 'sync', rule);
}
const handle = await fs.promises.open(process.execPath);
const handles = Object.getPrototypeOf(handle);
await handle.close();
for (const [name, rule] of Object.entries(OF_HANDLES)) wrap(handles, name, 'handle', 'promise', rule);
syncBuiltinESMExports();

if (log !== undefined && isMainThread) {
  process.on('exit', () => {
    depth++;
    writeFileSync(log, JSON.stringify(calls));
  });
}
