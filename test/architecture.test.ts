/** The rules of the workspace, held against the real sources. test/architecture/ shows that each rule can fail. */
import { beforeAll, describe, expect, it } from 'vitest';
import { checkDoors } from './architecture/door-rules.ts';
import { DOORS } from './architecture/doors.ts';
import { checkCycles, checkTargetsExist, listEdges } from './architecture/graph.ts';
import {
  checkDeclaredEdges,
  checkOutsideDependencies,
  checkPackageDirection,
} from './architecture/package-rules.ts';
import { checkPurity, checkReadOnly } from './architecture/purity.ts';
import {
  checkExportStars,
  checkFileLengths,
  checkNames,
  checkRoomDirection,
} from './architecture/room-rules.ts';
import { PACKAGE_EDGES, ROOMS } from './architecture/table.ts';
import { parseWorkspace, readWorkspaceTexts, type Workspace } from './architecture/workspace.ts';

let texts: ReadonlyMap<string, string>;
let workspace: Workspace;

beforeAll(() => {
  texts = readWorkspaceTexts();
  workspace = parseWorkspace(texts);
});

describe('between packages', () => {
  it('reads a graph that has every package and its edges', () => {
    expect(workspace.packages.map((one) => one.folder).sort()).toEqual(Object.keys(PACKAGE_EDGES).sort());
    for (const folder of Object.keys(PACKAGE_EDGES)) {
      expect(workspace.files.map((file) => file.path)).toContain(`packages/${folder}/src/index.ts`);
    }
    expect(listEdges(workspace).length).toBeGreaterThan(0);
  });

  it('imports go one way, by name, through what is exported', () => {
    expect(checkPackageDirection(workspace, PACKAGE_EDGES)).toEqual([]);
  });

  it('package.json and tsconfig.json declare those edges and no others', () => {
    expect(checkDeclaredEdges(workspace, PACKAGE_EDGES)).toEqual([]);
  });

  it('each package from outside is declared and used', () => {
    expect(checkOutsideDependencies(workspace)).toEqual([]);
  });
});

describe('inside packages', () => {
  it('every import names a source file', () => {
    expect(checkTargetsExist(workspace)).toEqual([]);
  });

  it('there are no cycles', () => {
    expect(checkCycles(workspace)).toEqual([]);
  });

  it('rooms import only rooms above them', () => {
    expect(checkRoomDirection(workspace, ROOMS)).toEqual([]);
  });

  it('rooms import only the doors of other rooms', () => {
    expect(checkDoors(workspace, DOORS)).toEqual([]);
  });

  it('pure rooms touch no disk, no clock and no chance', () => {
    expect(checkPurity(workspace, ROOMS)).toEqual([]);
  });

  it('read-only rooms change no file', () => {
    expect(checkReadOnly(workspace, ROOMS)).toEqual([]);
  });

  it('nothing is exported by export *', () => {
    expect(checkExportStars(workspace)).toEqual([]);
  });

  it('folders and files are named for what is in them', () => {
    expect(checkNames(workspace)).toEqual([]);
  });

  it('files can be read in one sitting', () => {
    expect(checkFileLengths(workspace)).toEqual([]);
  });

  it('no statement has numbered parameters: Node 22.19 does not bind them', () => {
    const numbered = /(?:[=(,]|<>|\b(?:THEN|ELSE|LIMIT|OFFSET|IN)) ?\?\d/;
    expect([...texts].filter(([, text]) => numbered.test(text)).map(([path]) => path)).toEqual([]);
  });
});
