/** What a caller of the gateway may do, in OpenClaw's words. */
export type Scope =
  | 'operator.read'
  | 'operator.write'
  | 'operator.admin'
  | 'operator.approvals'
  | 'operator.questions'
  | 'operator.pairing';

/** `admin` covers all, `write` covers `read`. Scopes that are not known mean nothing. */
export function hasScope(scopes: ReadonlySet<string>, needed: Scope): boolean {
  if (scopes.has('operator.admin') || scopes.has(needed)) return true;
  return needed === 'operator.read' && scopes.has('operator.write');
}
