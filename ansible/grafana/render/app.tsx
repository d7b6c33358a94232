// Draws all panels of a dashboard with Grafana's own components, from the answers of Prometheus.
import React from 'react';
import {createRoot} from 'react-dom/client';
import {BarGauge, BigValue, GlobalStyles, PanelChrome, ThemeContext, TimeSeries} from '@grafana/ui';
import {TableNG} from '@grafana/ui/unstable';
import {applyFieldOverrides, createTheme, dateTime, DataFrame, Field, FieldType, ThresholdsMode, toDataFrame} from '@grafana/data';
import dashboard from './dashboard.json';
import answers from './answers.json';

const theme = createTheme({colors: {mode: location.hash === '#dark' ? 'dark' : 'light'}});
const column = 1600 / 24, row = 38, gap = 8;
const days = parseInt(dashboard.time.from.replace('now-', ''));
const to = dateTime(answers.end * 1000), from = dateTime((answers.end - days * 86400) * 1000);
const timeRange: any = {from, to, raw: {from, to}};

const named = (legend: string, labels: any) => legend.replace(/\{\{\s*(\w+)\s*\}\}/g, (_: string, name: string) => labels[name] ?? '');

// frames are the series of a panel, as Grafana makes them of an answer.
function frames(panel: any): DataFrame[] {
  const data = (answers.panels as any)[panel.id].flatMap((a: any) => (a.Series ?? []).map((s: any) => ({...s, legend: a.Legend})));
  const made = panel.type === 'table' ? [tableOf(data, panel)] : data.map((s: any) => toDataFrame({fields: [
    {name: 'Time', type: FieldType.time, values: s.Values.map((v: any) => v.Seconds * 1000), config: {interval: answers.step * 1000}},
    {name: 'Value', type: FieldType.number, values: s.Values.map((v: any) => +v.Text), config: {displayNameFromDS: named(s.legend, s.Metric)}},
  ]}));
  for (const frame of made) {
    for (const field of frame.fields) {
      field.config.custom = panel.fieldConfig.defaults.custom;
      if (field.type === FieldType.number) { // the standard options are not among the packages: put here what they would
        field.config = {...panel.fieldConfig.defaults, ...field.config, thresholds: {...panel.fieldConfig.defaults.thresholds, mode: ThresholdsMode.Absolute,
          steps: panel.fieldConfig.defaults.thresholds.steps.map((s: any) => ({...s, value: s.value ?? -Infinity}))}};
      }
    }
  }
  return applyFieldOverrides({data: made, fieldConfig: {defaults: {}, overrides: []}, replaceVariables: (s: string) => s, theme, timeZone: 'utc'} as any);
}

// tableOf has the columns that the panel keeps, in their order.
function tableOf(data: any[], panel: any): DataFrame {
  const [keep, organize] = panel.transformations;
  return toDataFrame({fields: keep.options.include.names.map((name: string) => name === 'Value'
    ? {name: organize.options.renameByName.Value, type: FieldType.number, values: data.map((s: any) => +s.Values[0].Text)}
    : {name, type: FieldType.string, values: data.map((s: any) => s.Metric[name] ?? '')})});
}

// shown are the last values of all series, ready to be read.
function shown(list: DataFrame[]) {
  return list.map(frame => {
    const field: Field = frame.fields[1];
    return {field, value: {...field.display!(field.values[field.values.length - 1]), title: field.config.displayNameFromDS}};
  });
}

function Content({panel, width, height}: any) {
  const list = frames(panel);
  switch (panel.type) {
    case 'timeseries':
      return <TimeSeries frames={list} structureRev={1} width={width} height={height} timeRange={timeRange} timeZone="utc" options={{} as any}
        replaceVariables={(s: any) => s} dataLinkPostProcessor={(x: any) => x} legend={panel.options.legend}/>;
    case 'stat':
      return <div style={{display: 'flex'}}>{shown(list).map((s, i) =>
        <BigValue key={i} width={width / list.length} height={height} theme={theme} value={s.value} colorMode={panel.options.colorMode} graphMode={panel.options.graphMode} textMode={(list.length > 1 ? 'value_and_name' : panel.options.textMode) as any}/>)}</div>;
    case 'bargauge': {
      const most = Math.max(...shown(list).map(s => s.value.numeric));
      return <div style={{height, overflow: 'hidden'}}>{shown(list).map((s, i) =>
        <BarGauge key={i} width={width} height={Math.max(panel.options.minVizHeight, height / list.length - 4)} theme={theme} value={s.value} display={s.field.display}
          field={{...s.field.config, min: 0, max: most}} orientation={panel.options.orientation} displayMode={panel.options.displayMode} text={panel.options.text} itemSpacing={4} lcdCellWidth={12}/>)}</div>;
    }
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

function Panel({panel}: any) {
  const {x, y, w, h} = panel.gridPos;
  return <div style={{position: 'absolute', left: x * column, top: y * row}}>
    <PanelChrome title={panel.title} description={panel.description} width={w * column - gap} height={h * row - gap}>
      {(width: number, height: number) => <Guard title={panel.title}><Content panel={panel} width={width} height={height}/></Guard>}
    </PanelChrome></div>;
}

document.body.style.background = theme.colors.background.canvas;
document.body.style.color = theme.colors.text.primary;
createRoot(document.getElementById('root')!).render(<ThemeContext.Provider value={theme}>
  <GlobalStyles/>
  {dashboard.panels.map((panel: any) => <Panel key={panel.id} panel={panel}/>)}</ThemeContext.Provider>);
