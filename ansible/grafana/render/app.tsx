// Draws all panels of a dashboard with Grafana's own components, from the answers of Prometheus.
import React from 'react';
import {createRoot} from 'react-dom/client';
import {firstValueFrom} from 'rxjs';
import {BarGauge, BigValue, GlobalStyles, PanelChrome, ThemeContext, TimeSeries, preparePlotFrame} from '@grafana/ui';
import {TableNG} from '@grafana/ui/unstable';
import {applyFieldOverrides, applyNullInsertThreshold, cacheFieldDisplayNames, createTheme, dateTime, DataFrame, Field, FieldType, getFieldDisplayName, standardTransformers, standardTransformersRegistry,
  ThresholdsMode, toDataFrame, transformDataFrame} from '@grafana/data';
import dashboard from './dashboard.json';
import answers from './answers.json';

const dark = location.hash.includes('dark'), narrow = location.hash.includes('narrow');
const theme = createTheme({colors: {mode: dark ? 'dark' : 'light'}, typography: {fontFamily: 'DejaVu Sans'}}); // the font of the page
const column = narrow ? 500 / 24 : 1600 / 24, row = 38, gap = 8;
const days = parseInt(dashboard.time.from.replace('now-', ''));
const to = dateTime(answers.end * 1000), from = dateTime((answers.end - days * 86400) * 1000);
const timeRange: any = {from, to, raw: {from, to}};

const transformers = new Map(Object.values(standardTransformers).map((t: any) => [t.id, {id: t.id, name: t.name, transformation: async () => t}])); // some are there twice
standardTransformersRegistry.setInit(() => [...transformers.values()] as any);

const named = (legend: string, labels: any) => legend.replace(/\{\{\s*(\w+)\s*\}\}/g, (_: string, name: string) => labels[name] ?? '');

// set sets a property of an object, by its path.
function set(object: any, [name, ...rest]: string[], value: any) {
  object[name] = rest.length ? set({...object[name]}, rest, value) : value;
  return object;
}

const steps = (of: any) => ({...of, mode: ThresholdsMode.Absolute, steps: of.steps.map((s: any) => ({...s, value: s.value ?? -Infinity}))});

// frames are the data of a panel, as Grafana makes them of an answer.
async function frames(panel: any): Promise<DataFrame[]> {
  if (panel.panels) return [];
  const all = (answers.panels as any)[panel.id];
  let made: DataFrame[] = panel.targets[0].format === 'table'
    ? all.map((a: any) => tableOf(a, all.length > 1 ? `Value #${a.RefID}` : 'Value'))
    : all.flatMap((a: any) => (a.Series ?? []).map((s: any) => toDataFrame({refId: a.RefID, fields: [
      {name: 'Time', type: FieldType.time, values: s.Values.map((v: any) => v.Seconds * 1000), config: {interval: answers.step * 1000}},
      {name: 'Value', type: FieldType.number, labels: s.Metric, values: s.Values.map((v: any) => +v.Text), config: {displayNameFromDS: named(a.Legend, s.Metric)}},
    ]})));
  if (panel.transformations) {
    made = await firstValueFrom(transformDataFrame(panel.transformations, made.filter(f => f.length), {interpolate: (s: string) => s} as any));
  }
  for (const frame of made) { // the standard options are not among the packages: put here what they would
    for (const field of frame.fields) {
      const name = getFieldDisplayName(field, frame, made), {defaults, overrides} = panel.fieldConfig;
      field.config = {...defaults, ...field.config, custom: {...defaults.custom}, links: []};
      for (const o of overrides) {
        if (o.matcher.options === (o.matcher.id === 'byName' ? name : frame.refId)) {
          for (const p of o.properties) set(field.config, p.id.split('.'), p.value);
        }
      }
      field.config.thresholds = steps(field.config.thresholds);
    }
  }
  const ready = applyFieldOverrides({data: made, fieldConfig: {defaults: {}, overrides: []}, replaceVariables: (s: string) => s, theme, timeZone: 'utc'} as any);
  cacheFieldDisplayNames(ready);
  return ready;
}

// tableOf has a row for each series of an answer, and a column for each label.
function tableOf(answer: any, value: string): DataFrame {
  const series = answer.Series ?? [];
  const labels = [...new Set<string>(series.flatMap((s: any) => Object.keys(s.Metric)))].sort();
  return toDataFrame({refId: answer.RefID, fields: [
    {name: 'Time', type: FieldType.time, values: series.map((s: any) => s.Values[0].Seconds * 1000)},
    ...labels.map(name => ({name, type: FieldType.string, values: series.map((s: any) => s.Metric[name] ?? '')})),
    {name: value, type: FieldType.number, values: series.map((s: any) => +s.Values[0].Text)},
  ]});
}

// shown are the last values of all series, ready to be read.
function shown(list: DataFrame[]) {
  return list.map(frame => {
    const field: Field = frame.fields[1];
    return {...field.display!(field.values[field.values.length - 1]), title: field.config.displayNameFromDS};
  });
}

// marks draws the annotations of the dashboard, as lines over the plot.
const marks = (config: any) => {
  config.addHook('draw', (u: any) => {
    for (const e of (answers.events as any[]) ?? []) {
      const [x, right] = [e.From, e.To].map(t => u.valToPos(t * 1000, 'x', true));
      if (x < u.bbox.left || x > u.bbox.left + u.bbox.width) continue;
      u.ctx.save();
      u.ctx.strokeStyle = u.ctx.fillStyle = theme.visualization.getColorByName(e.Color);
      u.ctx.globalAlpha = 0.15;
      u.ctx.fillRect(x, u.bbox.top, right - x, u.bbox.height);
      u.ctx.globalAlpha = 1;
      u.ctx.setLineDash([5, 5]);
      u.ctx.strokeRect(x, u.bbox.top, 0, u.bbox.height);
      u.ctx.beginPath();
      u.ctx.moveTo(x - 5, u.bbox.top + u.bbox.height + 7);
      u.ctx.lineTo(x + 5, u.bbox.top + u.bbox.height + 7);
      u.ctx.lineTo(x, u.bbox.top + u.bbox.height);
      u.ctx.fill();
      u.ctx.restore();
    }
  });
  return null;
};

function Content({panel, list, width, height}: any) {
  if (!list.length || !list.some((f: DataFrame) => f.length)) {
    return <div style={{padding: 16}}>{panel.fieldConfig.defaults.noValue ?? 'No data'}</div>;
  }
  switch (panel.type) {
    case 'timeseries':
      return <TimeSeries frames={list.map((frame: DataFrame) => applyNullInsertThreshold({frame, refFieldPseudoMin: +from, refFieldPseudoMax: +to}))} // as Grafana's own panel
        structureRev={1} width={width} height={height} timeRange={timeRange} timeZone="utc" options={{} as any}
        replaceVariables={(s: any) => s} dataLinkPostProcessor={(x: any) => x} legend={panel.options.legend}>{marks as any}</TimeSeries>;
    case 'trend': // as Grafana's own panel: the first field is x
      return <TimeSeries frames={list} structureRev={1} width={width} height={height} timeRange={timeRange} timeZone="utc" options={{} as any}
        preparePlotFrame={(all: any, _: any, range: any) => preparePlotFrame(all, {x: (f: any, of: any) => f === of.fields[0], y: (f: any, of: any) => f !== of.fields[0]}, range)}
        replaceVariables={(s: any) => s} dataLinkPostProcessor={(x: any) => x} legend={panel.options.legend}/>;
    case 'bargauge': { // all bars have one scale
      const values = shown(list), high = Math.max(...values.map(v => v.numeric)), named = Math.max(...values.map(v => v.title!.length));
      return <div>{values.map((value, i) =>
        <BarGauge key={i} width={width} height={height / values.length - 4} theme={theme} value={value} field={{...list[i].fields[1].config, max: high}} display={list[i].fields[1].display}
          orientation={'horizontal' as any} displayMode={panel.options.displayMode} showUnfilled={panel.options.showUnfilled} namePlacement={panel.options.namePlacement}
          valueDisplayMode={panel.options.valueMode} itemSpacing={4} text={panel.options.text} alignmentFactors={{title: 'M'.repeat(named * 0.7), text: '00.00 GiB/s'}}/>)}</div>;
    }
    case 'stat':
      return <div style={{display: 'flex'}}>{shown(list).map((value, i) =>
        <BigValue key={i} width={width / list.length} height={height} theme={theme} value={value} colorMode={panel.options.colorMode} graphMode={panel.options.graphMode} text={panel.options.text}
          textMode={(list.length > 1 ? 'value_and_name' : panel.options.textMode) as any}/>)}</div>;
    case 'table':
      return <TableNG data={list[0]} width={width} height={height} structureRev={1}/>;
  }
  throw new Error('no component for panels of type ' + panel.type);
}

// Guard shows what goes wrong in a panel in its place, marked for render.mjs.
class Guard extends React.Component<any, any> {
  state = {error: null as any};
  static getDerivedStateFromError(error: any) { return {error}; }
  render() { return this.state.error ? <pre data-error={this.props.title}>{String(this.state.error.stack)}</pre> : this.props.children; }
}

function Panel({panel, list}: any) {
  const {x, y, w, h} = panel.gridPos;
  if (panel.panels) return <div style={{position: 'absolute', left: 8, top: y * row + 4}}>{'\u2304 ' + panel.title}</div>;
  return <div style={{position: 'absolute', left: x * column, top: y * row}}>
    <PanelChrome title={panel.title} description={panel.description} width={w * column - gap} height={h * row - gap}>
      {(width: number, height: number) => <Guard title={panel.title}><Content panel={panel} list={list} width={width} height={height}/></Guard>}
    </PanelChrome></div>;
}

// stacked puts panels below one another, as Grafana does on narrow screens.
function stacked(panels: any[]): any[] {
  let y = 0;
  return panels.map(p => {
    const placed = {...p, gridPos: {x: 0, y, w: 24, h: p.gridPos.h}};
    y += p.gridPos.h;
    return placed;
  });
}

// unfolded are the panels and rows, and after each folded row its panels.
const unfolded: any[] = (dashboard.panels as any[]).flatMap(p => p.panels ? [p, ...p.panels] : [p]);

(async () => {
  const panels = narrow ? stacked(unfolded) : unfolded;
  const data = await Promise.all(panels.map((p: any) => frames(p)));
  document.body.style.background = theme.colors.background.canvas;
  document.body.style.color = theme.colors.text.primary;
  createRoot(document.getElementById('root')!).render(<ThemeContext.Provider value={theme}>
    <GlobalStyles/>
    {panels.map((panel: any, i: number) => <Panel key={panel.id} panel={panel} list={data[i]}/>)}</ThemeContext.Provider>);
})();
