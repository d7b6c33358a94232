// node render.mjs DASHBOARDS ANSWERS OUT: checks each dashboard in a directory against the types of @grafana/schema, and draws
// its panels into OUT, light, dark and narrow, with Chromium. A type that is wrong, a panel without data or one that cannot be drawn
// ends it with status 1.
import {execFileSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';
import ts from 'typescript';

const [dashboards, answersFile, out] = process.argv.slice(2);
const answers = JSON.parse(fs.readFileSync(answersFile, 'utf8'));
fs.mkdirSync(out, {recursive: true});
let problems = 0;
const tell = text => { problems++; console.log(text); };

for (const file of fs.readdirSync(dashboards).filter(name => name.endsWith('.json')).sort()) {
  const source = fs.readFileSync(path.join(dashboards, file), 'utf8'), dashboard = JSON.parse(source);
  fs.writeFileSync('check.ts', `import type {AnnotationQuery, Dashboard, Panel, RowPanel} from '@grafana/schema';
type Text<T> = T extends string ? \`\${T}\` : T extends object ? {[K in keyof T]: Text<T[K]>} : T; // an enum is its words
type Annotation = AnnotationQuery & {expr: string, step: string, titleFormat: string, textFormat: string, useValueForTime: boolean}; // of Prometheus
const d: Text<Omit<Dashboard, 'panels' | 'annotations'> & {panels: (Panel | RowPanel)[], annotations: {list: Annotation[]}}> = ${source};
export default d;
`);
  const program = ts.createProgram(['check.ts'], {
    noEmit: true, strict: true, skipLibCheck: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ESNext,
  });
  for (const d of ts.getPreEmitDiagnostics(program)) tell(`${file}: ${ts.flattenDiagnosticMessageText(d.messageText, ' ')}`);

  const drawn = dashboard.panels.flatMap(p => p.panels ?? [p]); // folded rows are drawn unfolded
  const {Panels: panels, Events: events} = answers.dashboards[dashboard.uid];
  for (const p of drawn) {
    if (!panels[p.id].some(a => a.Series?.length)) tell(`${file}: panel ${p.title} has no data`);
  }
  fs.writeFileSync('dashboard.json', source);
  fs.writeFileSync('answers.json', JSON.stringify({end: answers.end, step: answers.step, panels, events}));
  const name = path.join(out, path.basename(file, '.json'));
  await esbuild.build({
    entryPoints: ['app.tsx'], bundle: true, minify: true, outfile: name + '.js', platform: 'browser', logLevel: 'error', jsx: 'transform',
    define: {'process.env.NODE_ENV': '"production"', global: 'window'}, loader: {'.svg': 'text', '.woff2': 'dataurl', '.ttf': 'dataurl', '.png': 'dataurl'},
  });
  const page = path.basename(name);
  fs.writeFileSync(name + '.html', `<!doctype html><meta charset=utf-8><link rel=stylesheet href=${page}.css><body style="margin:8px;font-family:DejaVu Sans;font-size:14px"><div id=root style="position:relative"></div><script src=${page}.js></script>`);

  const height = Math.max(...drawn.map(p => p.gridPos.y + p.gridPos.h)) * 38 + 16;
  const stacked = drawn.reduce((sum, p) => sum + p.gridPos.h, 0) * 38 + 16;
  const chromium = (size, ...args) => {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'));
    try {
      return execFileSync('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--hide-scrollbars',
        `--user-data-dir=${profile}`, '--virtual-time-budget=10000', `--window-size=${size}`, ...args], {encoding: 'utf8', timeout: 120000, stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28});
    } finally {
      fs.rmSync(profile, {recursive: true, force: true});
    }
  };
  const url = 'file://' + path.resolve(name + '.html');
  const text = chromium(`1616,${height}`, '--dump-dom', url);
  for (const [, title] of text.matchAll(/data-error="([^"]*)"/g)) tell(`${file}: panel ${title} cannot be drawn`);
  for (const p of drawn) {
    if (!text.includes(`>${p.title.replaceAll('&', '&amp;')}<`)) tell(`${file}: panel ${p.title} is not in the page`);
  }
  for (const [mode, size] of [['light', `1616,${height}`], ['dark', `1616,${height}`], ['narrow', `516,${stacked}`]]) {
    chromium(size, `--screenshot=${name}-${mode}.png`, `${url}#${mode}`);
  }
  console.log(`${file}: ${drawn.length} panels in ${name}-light.png, -dark.png and -narrow.png`);
}
process.exit(problems ? 1 : 0);
