import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../../harness/parsers/protocols.ts';
import { parseCsv } from './csv.ts';
import { errorKindsCsv, glance, glanceCsv, salvageCsv } from './derived-tables.ts';
import type { Results } from './results.ts';

function results(tables: { readonly [file: string]: string }): Results {
  const paths = Object.entries(tables).map(([file, csv]) => ({ path: `results/c/${file}`, csv }));
  return { letter: 'c', program: 'test', recordings: [], tables: paths, charts: [] };
}

const SAFETY = `suite,recording,parser,level,s1,s2,s3,k,calls_oracle,calls_executed,reopening,verdict
a,x,ctl,wire,0,0,0,0,2,2,not-run,holds
a,x,ctl,content,0,0,0,0,2,2,holds,holds
a,y,ctl,content,0,0,0,1,1,1,holds,violated
a,x,json-object,wire,1,0,0,,2,2,not-run,expected finding
a,x,json-object,content,2,0,0,,2,3,violated,expected finding
b,x,json-object,wire,1,1,0,,1,1,not-run,expected finding
`;
const PENDING = `parser,level,max
ctl,content,7
ctl,wire,99
ctl,content,12
json-object,content,5
`;

describe('the table of protocols', () => {
  const c = results({ 'safety.csv': SAFETY, 'pending.csv': PENDING });

  it('counts a stream once, whatever the levels and the number of violations', () => {
    const byName = new Map(glance(c).map((row) => [row.protocol, row]));
    expect(byName.get('json-object')?.violations).toEqual({ s1: ['a/x', 'b/x'], s2: ['b/x'], s3: [], k: null });
    expect(byName.get('ctl')?.violations).toEqual({ s1: [], s2: [], s3: [], k: ['a/y'] });
  });

  it('counts streams, calls and pending bytes at the content level', () => {
    const [head, ctl] = parseCsv(glanceCsv(glance(c)));
    expect(head?.slice(2)).toEqual([
      'streams',
      'S1',
      'S2',
      'S3',
      'K',
      'calls run',
      'calls complete',
      'most pending (bytes)',
    ]);
    expect(ctl?.slice(2)).toEqual(['2', 'holds', 'holds', 'holds', 'violated (1)', '3', '3', '12']);
  });
});

it('shows the kinds of error that occurred in a suite, and no control', () => {
  const errors = `suite,parser,kind,count
a,ctl,bad_call,3
a,ctl-heredoc,bad_call,0
a,ctl,bad_arg,0
a,end-anywhere,bad_arg,4
b,xml,xml_unclosed,1
`;
  expect(parseCsv(errorKindsCsv(results({ 'errors.csv': errors })))).toEqual([
    ['suite', 'kind', ...PROTOCOLS],
    ['a', 'bad_call', '3', ...PROTOCOLS.slice(1).map(() => '0')],
    ['b', 'xml_unclosed', '0', '0', '1', ...PROTOCOLS.slice(3).map(() => '0')],
  ]);
});

it('takes the mean of salvage over the streams with a complete call, of reframed tasks alone', () => {
  const salvage = `suite,task,recording,parser,cut,executed,present,share
reframed,t01,a,ctl,50,1,1,1.0000
reframed,t02,b,ctl,50,1,2,0.5000
reframed,t03,c,ctl,50,0,0,
reframed,t01,d,xml,50,0,1,0.0000
reframed,sweep-16,e,ctl,50,0,1,0.0000
replies,t01,f,ctl,50,0,1,0.0000
reframed,t01,g,end-anywhere,50,1,1,1.0000
`;
  expect(parseCsv(salvageCsv(results({ 'salvage.csv': salvage })))).toEqual([
    ['cut at %', 'streams', ...PROTOCOLS],
    ['50', '1 to 2', '0.7500', '', '0.0000', ...PROTOCOLS.slice(3).map(() => '')],
  ]);
});

it('says which file lacks which column, and how to make it anew', () => {
  const old = results({ 'safety.csv': 'suite,recording\na,x\n', 'pending.csv': PENDING });
  expect(() => glance(old)).toThrow('results/c/safety.csv has no column parser: npm run exp:c makes it anew');
});
