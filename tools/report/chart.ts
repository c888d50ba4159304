import * as echarts from 'echarts';
import type { Chart } from './report.ts';

const WIDTH = 760;
const HEIGHT = 330;
/** Pixels left and right of the plot. */
const MARGIN = { left: 60, right: 20 };
/** More places than this cannot all be named. */
const MOST_LABELS = 16;

/** The chart as an SVG image on a white ground, so that it can be read in a dark theme too. */
export const svgOf = ({ title, kind, unit, x, series }: Chart): string => {
  const drawing = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  drawing.setOption({
    animation: false,
    backgroundColor: '#fff',
    title: { text: title, left: 'center', textStyle: { fontSize: 15 } },
    legend: { bottom: 0, itemGap: 30, show: series.length > 1 },
    grid: { ...MARGIN, top: 50, bottom: series.length > 1 ? 75 : 55 },
    xAxis: {
      type: 'category',
      data: [...x],
      axisLabel: {
        interval: x.length > MOST_LABELS ? 'auto' : 0,
        width: (WIDTH - MARGIN.left - MARGIN.right) / Math.min(x.length, MOST_LABELS) - 8,
        overflow: 'break',
      },
    },
    yAxis: { type: 'value', name: unit },
    series: series.map(({ name, values }) => ({
      name,
      type: kind,
      data: [...values],
      label: { show: kind === 'bar' && series.length * x.length <= 24, position: 'top', fontSize: 10 },
    })),
  });
  const svg = drawing.renderToSVGString();
  drawing.dispose();
  return `${svg}\n`;
};
