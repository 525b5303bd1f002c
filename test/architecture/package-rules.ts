import { isBuiltin } from 'node:module';
import { packageName, resolveImport } from './graph.ts';
import { folderOf, type Workspace } from './workspace.ts';

type PackageEdges = Readonly<Record<string, readonly string[]>>;

/** Imports between packages: allowed by the table, by name, through what the other package exports. */
export function checkPackageDirection(workspace: Workspace, edges: PackageEdges): string[] {
  return workspace.files.flatMap((file) => {
    const folder = folderOf(file.path);
    return file.imports.flatMap((site) => {
      const place = `${file.path}:${site.line}: `;
      const target = resolveImport(workspace, file.path, site);
      if (target.kind === 'file' && !target.path.startsWith(`packages/${folder}/src/`)) {
        return [`${place}${site.specifier} leaves packages/${folder}/src; import a package by its name`];
      }
      if (target.kind !== 'package') return [];
      if (target.folder === folder) return [`${place}${folder} imports itself by name; use a relative path`];
      if (!edges[folder]?.includes(target.folder))
        return [`${place}${folder} may not import ${target.folder}`];
      const other = workspace.packages.find((candidate) => candidate.folder === target.folder);
      return site.specifier && !other?.offers.includes(site.specifier)
        ? [`${place}${site.specifier} is not among the exports of ${other?.name}`]
        : [];
    });
  });
}

/** package.json and tsconfig.json of each package declare the edges of the table, all of them and no others. */
export function checkDeclaredEdges(workspace: Workspace, edges: PackageEdges): string[] {
  const folderByName = new Map(workspace.packages.map((one) => [one.name, one.folder]));
  const missing = Object.keys(edges)
    .filter((folder) => !workspace.packages.some((one) => one.folder === folder))
    .map((folder) => `packages/${folder} is in the table but has no package.json`);
  const wrong = workspace.packages.flatMap((one) => {
    const allowed = edges[one.folder];
    if (!allowed) return [`packages/${one.folder} is not in the table of packages`];
    const declared = one.dependencies.flatMap((name) => folderByName.get(name) ?? []);
    return [
      ...compare(`packages/${one.folder}/package.json dependencies`, declared, allowed),
      ...compare(`packages/${one.folder}/tsconfig.json references`, one.references, allowed),
    ];
  });
  return [...missing, ...wrong];
}

/**
 * Packages from outside: every one imported is declared, every one declared is imported. The peers of a package of this
 * workspace are those of its users too, in the same range: in the bundle of a command they are its own imports.
 */
export function checkOutsideDependencies(workspace: Workspace): string[] {
  const local = new Set(workspace.packages.map((one) => one.name));
  return workspace.packages.flatMap((one) => {
    const imported = new Map<string, string>();
    for (const file of workspace.files.filter((candidate) => folderOf(candidate.path) === one.folder)) {
      for (const { specifier, line } of file.imports) {
        if (specifier === undefined || /^[./]/.test(specifier) || isBuiltin(specifier)) continue;
        imported.set(packageName(specifier), `${file.path}:${line}`);
      }
    }
    const inherited = workspace.packages
      .filter(({ name }) => one.dependencies.includes(name))
      .flatMap(({ peers }) => Object.entries(peers));
    const undeclared = [...imported]
      .filter(([name]) => !local.has(name) && !one.dependencies.includes(name))
      .map(([name, place]) => `${place}: ${name} is not declared in packages/${one.folder}/package.json`);
    const unused = one.dependencies
      .filter((name) => !local.has(name) && !imported.has(name) && !inherited.some(([peer]) => peer === name))
      .map((name) => `packages/${one.folder}/package.json declares ${name}, which no source imports`);
    const dropped = inherited
      .filter(([name, range]) => one.peers[name] !== range)
      .map(([name, range]) => `packages/${one.folder}/package.json lacks the peer ${name} ${range}`);
    return [...undeclared, ...unused, ...dropped];
  });
}

function compare(where: string, declared: readonly string[], allowed: readonly string[]): string[] {
  return [
    ...declared
      .filter((folder) => !allowed.includes(folder))
      .map((folder) => `${where}: ${folder} is not allowed`),
    ...allowed
      .filter((folder) => !declared.includes(folder))
      .map((folder) => `${where}: ${folder} is missing`),
  ];
}
