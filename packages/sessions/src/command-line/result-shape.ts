/**
 * What a command prints with `--json`, as text that reads like a type: `string`, `number`, `boolean`, `null`, `any`,
 * `true`, `'edit'`, or several of them joined by ` | `; a remark may follow after ` - `. An object is written as one, with
 * `?` behind the name of a field that may be absent; `[name]` means any field. An array holds one shape.
 */
export type ResultShape = string | readonly [ResultShape] | { readonly [field: string]: ResultShape };

/** Where a value does not fit its shape, as `path: what is wrong`; empty where it fits. */
export function listMisfits(shape: ResultShape, value: unknown, path = '$'): string[] {
  if (typeof shape === 'string') {
    return typesOf(shape).some((type) => fitsType(type, value))
      ? []
      : [`${path}: ${JSON.stringify(value)} is not ${shape}`];
  }
  if (Array.isArray(shape)) {
    const [item] = shape as readonly [ResultShape];
    if (!Array.isArray(value)) return [`${path}: not an array`];
    return value.flatMap((one, at) => listMisfits(item, one, `${path}[${at}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path}: not an object`];
  return listFieldMisfits(shape as { readonly [field: string]: ResultShape }, { ...value }, path);
}

function listFieldMisfits(
  shape: { readonly [field: string]: ResultShape },
  value: Readonly<Record<string, unknown>>,
  path: string,
): string[] {
  const misfits: string[] = [];
  const known = new Set(Object.keys(shape).map((field) => field.replace(/\?$/, '')));
  for (const [field, part] of Object.entries(shape)) {
    if (field === '[name]') continue;
    const name = field.replace(/\?$/, '');
    if (value[name] !== undefined) misfits.push(...listMisfits(part, value[name], `${path}.${name}`));
    else if (name === field) misfits.push(`${path}.${name}: missing`);
  }
  for (const [name, part] of Object.entries(value)) {
    if (known.has(name) || part === undefined) continue;
    const any = shape['[name]'];
    if (any === undefined) misfits.push(`${path}.${name}: not in the shape`);
    else misfits.push(...listMisfits(any, part, `${path}.${name}`));
  }
  return misfits;
}

function typesOf(shape: string): string[] {
  return shape.split(' - ')[0]!.split(' | ');
}

function fitsType(type: string, value: unknown): boolean {
  if (type === 'any') return true;
  if (type === 'null') return value === null;
  if (type === 'true' || type === 'false') return value === (type === 'true');
  if (type.startsWith("'")) return `'${String(value)}'` === type;
  return typeof value === type;
}
