/**
 * Reads source text with TypeScript's own parser and keeps only what the rules ask about. The parser's programming
 * interface is still called unstable, so nothing else in this workspace imports it.
 */
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast';
import {
  isBinaryExpression,
  isCallExpression,
  isElementAccessExpression,
  isExportDeclaration,
  isExportSpecifier,
  isExternalModuleReference,
  isHeritageClause,
  isIdentifier,
  isImportDeclaration,
  isImportEqualsDeclaration,
  isImportTypeNode,
  isInterfaceDeclaration,
  isLiteralTypeNode,
  isNamedExports,
  isNamedImports,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isPropertyAccessExpression,
  isShorthandPropertyAssignment,
  isStringLiteral,
} from 'typescript/unstable/ast/is';
import { createVirtualFileSystem } from 'typescript/unstable/fs';
import { API, type Checker } from 'typescript/unstable/sync';

export interface ImportSite {
  /** Undefined where the target is computed. */
  readonly specifier: string | undefined;
  readonly form: 'import' | 'export' | 'dynamic' | 'type' | 'require';
  /** What is taken as a value: exported names, `default`, or `*` for the whole module. */
  readonly names: readonly string[];
  readonly line: number;
}

/** A value reference to a name that the file does not declare or import. */
export interface GlobalUse {
  readonly name: string;
  /** `now` in `Date.now` and `Date['now']`. */
  readonly member: string | undefined;
  readonly use: 'new' | 'call' | 'instanceof' | 'value';
  readonly argumentCount: number;
  readonly line: number;
}

/** A member that is called without arguments, or with `undefined` in their place, on anything. */
export interface BareCall {
  readonly member: string;
  readonly line: number;
}

export interface ParsedFile {
  readonly path: string;
  readonly lineCount: number;
  readonly imports: readonly ImportSite[];
  /** Lines of `export *`. */
  readonly exportStars: readonly number[];
  readonly globals: readonly GlobalUse[];
  readonly bareCalls: readonly BareCall[];
  readonly strings: ReadonlySet<string>;
}

const ROOT = '/sources';
const PROJECT = `${ROOT}/tsconfig.json`;

/** Parses all texts at once; keys are paths relative to the workspace, with forward slashes. */
export function parseSources(texts: ReadonlyMap<string, string>): ParsedFile[] {
  const files: Record<string, string> = {
    // Without a library every name that the file itself does not bring is left unresolved: that is how globals show.
    [PROJECT]: JSON.stringify({
      compilerOptions: {
        noLib: true,
        noResolve: true,
        types: [],
        module: 'nodenext',
        moduleDetection: 'force',
      },
      include: ['**/*.ts'],
    }),
  };
  for (const [path, text] of texts) files[`${ROOT}/${path}`] = text;

  const api = new API({ fs: createVirtualFileSystem(files), cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProject: PROJECT }).getProject(PROJECT);
    if (!project) throw new Error('the parser opened no project');
    return [...texts.keys()].map((path) => {
      const source = project.program.getSourceFile(`${ROOT}/${path}`);
      if (!source) throw new Error(`the parser does not know ${path}`);
      const broken = project.program.getSyntacticDiagnostics(`${ROOT}/${path}`)[0];
      if (broken) throw new Error(`${path} does not parse: ${broken.text}`);
      return readFile(path, texts.get(path) ?? '', source, project.checker);
    });
  } finally {
    api.close();
  }
}

function readFile(path: string, text: string, source: SourceFile, checker: Checker): ParsedFile {
  const imports: ImportSite[] = [];
  const exportStars: number[] = [];
  const bareCalls: BareCall[] = [];
  const strings = new Set<string>();
  const references: Node[] = [];
  const lineOf = (node: Node): number => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;

  const visit = (node: Node): void => {
    const site = readImport(node);
    if (site) imports.push({ ...site, line: lineOf(node) });
    if (isExportDeclaration(node) && !(node.exportClause && isNamedExports(node.exportClause))) {
      exportStars.push(lineOf(node));
    }
    if (isCallExpression(node) && node.arguments.every(isUndefined)) {
      const member = memberName(node.expression);
      if (member !== undefined) bareCalls.push({ member, line: lineOf(node) });
    }
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) strings.add(node.text);
    if (isIdentifier(node) && isValueReference(node)) references.push(node);
    node.forEachChild(visit);
  };
  visit(source);

  const symbols = references.length === 0 ? [] : checker.getSymbolAtLocation(references);
  const globals = references.flatMap((node, index) => {
    const symbol = isShorthandPropertyAssignment(node.parent)
      ? checker.getShorthandAssignmentValueSymbol(node.parent)
      : symbols[index];
    return symbol && symbol.declarations.length > 0 ? [] : [{ ...readGlobal(node), line: lineOf(node) }];
  });

  const lineCount = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { path, lineCount, imports, exportStars, globals, bareCalls, strings };
}

function readImport(node: Node): Omit<ImportSite, 'line'> | undefined {
  if (isImportDeclaration(node)) {
    const clause = node.importClause;
    const specifier = literalText(node.moduleSpecifier);
    if (clause?.phaseModifier === SyntaxKind.TypeKeyword) return { specifier, form: 'type', names: [] };
    const names: string[] = clause?.name ? ['default'] : [];
    const bindings = clause?.namedBindings;
    if (bindings && isNamedImports(bindings)) {
      for (const element of bindings.elements) {
        if (!element.isTypeOnly) names.push((element.propertyName ?? element.name).text);
      }
    } else if (bindings) names.push('*');
    return { specifier, form: 'import', names };
  }
  if (isExportDeclaration(node) && node.moduleSpecifier) {
    const clause = node.exportClause;
    const names =
      clause && isNamedExports(clause)
        ? clause.elements.filter((e) => !e.isTypeOnly).map((e) => (e.propertyName ?? e.name).text)
        : ['*'];
    const specifier = literalText(node.moduleSpecifier);
    return node.isTypeOnly ? { specifier, form: 'type', names: [] } : { specifier, form: 'export', names };
  }
  if (isImportTypeNode(node)) {
    const literal = isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    return { specifier: literalText(literal), form: 'type', names: [] };
  }
  if (isImportEqualsDeclaration(node) && isExternalModuleReference(node.moduleReference)) {
    return { specifier: literalText(node.moduleReference.expression), form: 'require', names: ['*'] };
  }
  if (isCallExpression(node)) {
    const callee = node.expression;
    const specifier = literalText(node.arguments[0]);
    if (callee.kind === SyntaxKind.ImportKeyword) return { specifier, form: 'dynamic', names: ['*'] };
    if (isIdentifier(callee) && callee.text === 'require')
      return { specifier, form: 'require', names: ['*'] };
  }
  return undefined;
}

function literalText(node: Node | undefined): string | undefined {
  return node && (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) ? node.text : undefined;
}

function isUndefined(node: Node): boolean {
  return (isIdentifier(node) && node.text === 'undefined') || node.kind === SyntaxKind.VoidExpression;
}

function memberName(node: Node): string | undefined {
  if (isPropertyAccessExpression(node)) return node.name.text;
  if (isElementAccessExpression(node)) return literalText(node.argumentExpression);
  return undefined;
}

/** Whether the identifier is read as a value here: not a declared name, a member, a label or a type. */
function isValueReference(node: Node): boolean {
  const parent = node.parent;
  if (isPropertyAccessExpression(parent)) return parent.expression === node;
  if (isExportSpecifier(parent)) {
    const declaration = parent.parent.parent;
    const isLocal =
      isExportDeclaration(declaration) && !declaration.isTypeOnly && !declaration.moduleSpecifier;
    return isLocal && !parent.isTypeOnly && (parent.propertyName ?? parent.name) === node;
  }
  if (isHeritageClause(parent.parent)) {
    return parent.parent.token === SyntaxKind.ExtendsKeyword && !isInterfaceDeclaration(parent.parent.parent);
  }
  if (INITIALISED.has(parent.kind)) return 'initializer' in parent && parent.initializer === node;
  return !NAMES_ONLY.has(parent.kind);
}

/** Their identifier is a name, unless it is what the name is set to. */
const INITIALISED: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.PropertyAssignment,
  SyntaxKind.BindingElement,
  SyntaxKind.Parameter,
  SyntaxKind.VariableDeclaration,
  SyntaxKind.PropertyDeclaration,
]);

/** Whatever identifier they hold is a name or a type. */
const NAMES_ONLY: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ImportClause,
  SyntaxKind.ImportSpecifier,
  SyntaxKind.NamespaceImport,
  SyntaxKind.NamespaceExport,
  SyntaxKind.ImportAttribute,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.ClassExpression,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.TypeParameter,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.PropertySignature,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.TypeReference,
  SyntaxKind.TypeQuery,
  SyntaxKind.TypePredicate,
  SyntaxKind.QualifiedName,
  SyntaxKind.ImportType,
  SyntaxKind.NamedTupleMember,
  SyntaxKind.MetaProperty,
  SyntaxKind.LabeledStatement,
  SyntaxKind.BreakStatement,
  SyntaxKind.ContinueStatement,
]);

function readGlobal(node: Node): Omit<GlobalUse, 'line'> {
  const name = isIdentifier(node) ? node.text : '';
  const parent = node.parent;
  const onlyValue = { name, member: undefined, use: 'value', argumentCount: 0 } as const;
  if (isNewExpression(parent) && parent.expression === node) {
    return { ...onlyValue, use: 'new', argumentCount: parent.arguments?.length ?? 0 };
  }
  if (isCallExpression(parent) && parent.expression === node) {
    return { ...onlyValue, use: 'call', argumentCount: parent.arguments.length };
  }
  if (
    isBinaryExpression(parent) &&
    parent.operatorToken.kind === SyntaxKind.InstanceOfKeyword &&
    parent.right === node
  ) {
    return { ...onlyValue, use: 'instanceof' };
  }
  return { ...onlyValue, member: memberOf(node) };
}

function memberOf(node: Node): string | undefined {
  const parent = node.parent;
  const isBase =
    (isPropertyAccessExpression(parent) || isElementAccessExpression(parent)) && parent.expression === node;
  return isBase ? memberName(parent) : undefined;
}
