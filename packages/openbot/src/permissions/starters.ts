/** Programs and builtins that start what their arguments name, and how to read their options. */

export interface Starter {
  /** Letters of options without a value. Each other option may have the next word as its value. */
  readonly flags?: string;
  /** Letters of options with a value, behind the letter or in the next word. */
  readonly values?: string;
  /** Words between the options and the command. */
  readonly operands?: number;
  /** Words that are assignments in each case. */
  readonly assignments?: RegExp;
  /** Without a command it runs a shell on its input: always, or with such an option. */
  readonly shell?: true | RegExp;
}

const NAMES_NO_FILE = /^[^/].*=/s;

export const STARTERS: Readonly<Record<string, Starter>> = {
  // `time -- rm` for a shell that has the keyword.
  '--': {},
  '-': {},
  // zsh: `repeat 1 { rm x }`
  '{': {},
  arch: {},
  builtin: {},
  busybox: {},
  caffeinate: { flags: 'dimsu' },
  choom: { values: 'np' },
  chroot: { operands: 1, shell: true },
  chrt: { flags: 'abfimoprRvd', operands: 1 },
  command: { flags: 'p' },
  'dbus-run-session': {},
  doas: { flags: 'nsL', values: 'aCu', assignments: NAMES_NO_FILE, shell: /^-[a-zA-Z]*s/ },
  eatmydata: {},
  env: { flags: 'i0v', assignments: /=/ },
  exec: { flags: 'cl' },
  fakeroot: { flags: 'uhv', values: 'lbfis', shell: true },
  flock: { flags: 'ensuxoFv', operands: 1 },
  ionice: { flags: 't' },
  'ld.so': {},
  ltrace: {},
  nice: {},
  nocorrect: {},
  noglob: {},
  nohup: {},
  nsenter: { flags: 'amuinpCUTrwFZec', values: 'tNSGW', shell: true },
  numactl: {},
  pkexec: { shell: true },
  prlimit: {},
  repeat: { operands: 1 },
  rlwrap: {},
  runuser: {},
  script: { flags: 'aefqk', operands: 1 },
  // Of some systems without the architecture.
  setarch: { flags: 'vB3FILRSTXZhV', shell: true },
  setpriv: {},
  setsid: { flags: 'cfw' },
  stdbuf: {},
  strace: { flags: 'fFqrtTvxyC' },
  sudo: {
    flags: 'AbBEHiKknPSs',
    values: 'CDghpRrtTUu',
    assignments: NAMES_NO_FILE,
    shell: /^-[a-zA-Z]*[si]|^--(?:sh|lo)/,
  },
  'systemd-inhibit': {},
  'systemd-run': { shell: /^-[a-zA-Z]*S|^--sh/ },
  taskset: { operands: 1 },
  time: { flags: 'apqvlh' },
  timeout: { flags: 'fpv', operands: 1 },
  toybox: {},
  unbuffer: { flags: 'p' },
  unshare: { flags: 'muinpUCTrcfhV', values: 'RwSGl', shell: true },
  valgrind: {},
  'xvfb-run': { flags: 'a' },
};

/** Their options and operands, then a text for a shell in one word or several. */
export const TEXT_STARTERS: Readonly<Record<string, Starter>> = {
  ssh: {
    flags: '1246AaCfGgKkMNnqsTtVvXxYy',
    values: 'BbcDEeFIiJLlmOoPpQRSWw',
    operands: 1,
    shell: true,
  },
  watch: { flags: 'bcdeghtwx' },
};

const OTHER_NAMES: Readonly<Record<string, string>> = {
  bfs: 'find',
  fdfind: 'fd',
  remsh: 'ssh',
  rsh: 'ssh',
  'sudo-rs': 'sudo',
};

/** The names of setarch for single architectures. */
const ARCHITECTURE =
  /^(?:linux(?:32|64)|uname26|x86_64|i[3-6]86|amd64|aarch64|arm(?:64|v\w+)?|ppc\w*|s390x?|sparc\w*|mips\w*|riscv\w*|alpha|ia64|parisc\w*|athlon|loongarch\w*)$/;

const PREFIXED = new Set([
  ...['chroot', 'env', 'find', 'nice', 'nohup', 'stdbuf', 'time', 'timeout', 'xargs'],
]);

/** The name in these tables of a program of this name. */
export function nameInTables(name: string): string {
  if (ARCHITECTURE.test(name)) return 'setarch';
  if (/^ld[\w-]*\.so(?:\.\d+)?$/.test(name)) return 'ld.so';
  // GNU's programs, beside those of the system.
  if (name.startsWith('g') && PREFIXED.has(name.slice(1))) return name.slice(1);
  return OTHER_NAMES[name] ?? name;
}

const SHELL = /^(?:r?(?:ba|da|a|z|k)?|mk|pdk|lk|ok|o|ya|po|hu|sa)sh(?:[-.\d][\w.-]*)?$/;

/** Also `ksh93` and `bash-static`. `rsh` is a program of the network. */
export function isShell(name: string): boolean {
  return SHELL.test(name) && nameInTables(name) === name;
}

/** Whether the next word is the value of an option. Undefined where the option is not known. */
export function takesNext(option: string, { flags = '', values = '' }: Starter): boolean | undefined {
  if (option === '-' || option === '--' || option.includes('=')) return false;
  if (option.startsWith('--')) return undefined;
  const letters = [...option.slice(1)];
  const at = letters.findIndex((letter) => !flags.includes(letter));
  if (at < 0) return false;
  return values.includes(letters[at]!) ? at === letters.length - 1 : undefined;
}
