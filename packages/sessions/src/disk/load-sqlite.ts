type Sqlite = typeof import('node:sqlite');

let sqlite: Sqlite | undefined;

/** Loads SQLite at its first use. Older Nodes warn that it is experimental, which tells the person nothing. */
export function loadSqlite(): Sqlite {
  if (sqlite !== undefined) return sqlite;
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!String(warning).includes('SQLite')) Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof emitWarning;
  try {
    sqlite = process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
  return sqlite;
}
