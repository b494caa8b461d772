/** A folder is a stage, and imports only point left (ARCHITECTURE.md). Tests may import anything of their own stage's right. */
const STAGES = [
  'wire',
  'stream',
  'parsers',
  'oracles',
  'controls',
  'replay',
  'properties',
  'report',
  'patch',
  'serve',
  'agent',
  'record',
  'import',
  'judge',
  'cli',
];
const TEST = '\\.test\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...STAGES.map((stage, i) => ({
      name: `${stage}-imports-only-from-the-left`,
      severity: 'error',
      from: { path: `^harness/${stage}/`, pathNot: TEST },
      to: { path: `^harness/(${[...STAGES.slice(i + 1), 'testing'].join('|')})/` },
    })),
    {
      name: 'oracles-share-no-parsing-code',
      comment: 'A parser judged by itself proves nothing: oracles take types from the parsers, and nothing else.',
      severity: 'error',
      from: { path: '^harness/oracles/', pathNot: TEST },
      to: { path: '^harness/parsers/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'patch-stands-alone',
      severity: 'error',
      from: { path: '^harness/patch/', pathNot: TEST },
      to: { path: '^harness/(?!patch/)' },
    },
    {
      name: 'the-harness-knows-no-experiment',
      severity: 'error',
      from: { path: '^harness/' },
      to: { path: '^(experiments|scripts)/' },
    },
    {
      name: 'experiments-know-no-script',
      severity: 'error',
      from: { path: '^experiments/' },
      to: { path: '^scripts/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-development-dependency-in-the-package',
      comment: 'Experiments are run from the repository; tables in files are theirs.',
      severity: 'error',
      from: {
        path: '^harness/',
        pathNot: [TEST, '^harness/testing/', '^harness/conformance', '^harness/report/table'],
      },
      to: { dependencyTypes: ['npm-dev'], pathNot: 'node_modules/@types/' },
    },
  ],
  options: {
    tsPreCompilationDeps: 'specify',
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
    doNotFollow: { path: 'node_modules' },
  },
};
