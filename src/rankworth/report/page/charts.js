// Charts of runs and queries. They draw numbers that the library computed; what has a data-query opens that query.

import {chart, DASHES, label, room} from '../../explorer/page/charts.js';
import {number, signed, svg} from '../../explorer/page/dom.js';

const [LINE, NARROW] = [26, 560]; // on a chart less wide than this, names have lines of their own
const LABEL = 60; // how many pixels a difference takes
const LETTER = 6.2; // how many pixels a letter of a label has
const BARS = 360; // beyond so many queries, several share a bar
const POINTS = 1500;

const scaled = (low, high, from, to) => (value) => from + ((to - from) * (value - low)) / (high - low || 1);

const extent = (values, ...more) => {
  const known = [...values.filter((value) => value !== null && value !== undefined), ...more];
  return known.length ? [known.reduce((one, other) => Math.min(one, other)), known.reduce((one, other) => Math.max(one, other))] : [0, 1];
};

/** A label that fits into so many pixels; all of it is in its title. */
function fitting(x, y, content, pixels, attributes = {}) {
  const most = Math.max(4, Math.floor(pixels / LETTER));
  const letters = [...content];
  return label(x, y, letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : content, {class: 'tick', ...attributes}, content);
}

/** Values with intervals, a line for each; rows are {name, value, low, high, text, kind}; lines stand at 0 and at the margins. */
export function intervals(title, sentence, rows, {from = [], marks: places = []} = {}) {
  const width = room(960);
  const isNarrow = width < NARROW;
  const [left, right, line] = isNarrow ? [8, 8, 2 * LINE] : [Math.min(280, width * 0.28), 150, LINE];
  const [low, high] = extent(rows.flatMap((row) => [row.value, row.low, row.high]), ...from);
  const x = scaled(low, high, left, width - right);
  const height = rows.length * line + 22;
  const axis = (place, top, bottom) => svg('line', {class: place === 0 ? 'axis' : 'grid', x1: x(place), x2: x(place), y1: top, y2: bottom});
  const marks = isNarrow ? [] : places.map((place) => axis(place, 0, height - 20));
  rows.forEach((row, place) => {
    const y = place * line + line - LINE / 2;
    marks.push(isNarrow ? fitting(0, y - LINE + 8, row.name, width - (row.text.length + 2) * LETTER) : fitting(left - 8, y + 4, row.name, left - 8, {'text-anchor': 'end'}));
    if (isNarrow) marks.push(...places.map((place) => axis(place, y - 10, y + 10))); // not through the names
    if (row.value === null) return;
    if (row.low !== null && row.low !== undefined) marks.push(svg('line', {class: `line ${row.kind ?? ''}`, x1: x(row.low), x2: x(row.high), y1: y, y2: y}));
    marks.push(svg('circle', {class: `dot ${row.kind ?? ''}`, cx: x(row.value), cy: y, r: 5}), isNarrow ? label(width, y - LINE + 8, row.text, {class: 'tick', 'text-anchor': 'end'}) : label(width - right + 8, y + 4, row.text, {class: 'tick'}));
  });
  for (const [end, anchor] of [[low, 'start'], [high, 'end']]) marks.push(label(x(end), height - 4, number(end, 2), {class: 'tick', 'text-anchor': isNarrow ? anchor : 'middle'}));
  return chart(width, height, title, sentence, ...marks);
}

/** What a difference is: a gain, a loss or neither. */
const kind = (gain) => (gain > 0 ? 'up' : gain < 0 ? 'down' : 'level');

/** The differences of all queries, the largest gain first. */
export function differences(rows, title, sentence) {
  const several = Math.max(1, Math.ceil(rows.length / BARS));
  const bars = Array.from({length: Math.ceil(rows.length / several)}, (_, place) => rows.slice(place * several, (place + 1) * several));
  const [low, high] = extent(rows.map((row) => row.difference), 0);
  const [width, height] = [room(960), 200];
  const y = scaled(low, high, height - 8, 8);
  const step = width / Math.max(bars.length, 1);
  const marks = bars.map((some, place) => {
    const [value, gain] = ['difference', 'gain'].map((name) => some.reduce((sum, row) => sum + row[name], 0) / some.length);
    const name = some.length > 1 ? `${some.length} queries from ${some[0].id}` : some[0].id;
    return svg('rect', {class: `bar ${kind(gain)}`, 'data-query': some[0].id, x: place * step, width: Math.max(step * 0.85, 0.8), y: Math.min(y(0), y(value)), height: Math.max(1, Math.abs(y(value) - y(0)))},
      svg('title', {}, `${name}: ${signed(value)}`));
  });
  marks.push(svg('line', {class: 'axis', x1: 0, x2: width, y1: y(0), y2: y(0)}));
  const [left, right] = rows[0]?.difference < 0 ? [low, high] : [high, low]; // the ends of the bars that stand there
  const last = step * bars.filter((some) => Math.sign(some[0].difference) === Math.sign(right)).length;
  const isBeside = last < LABEL && last > 0 && last < width - LABEL; // few bars: the label is beside them, else beyond zero
  if (left) marks.push(label(2, y(0) + (left > 0 ? 12 : -4), signed(left), {class: 'tick'}));
  if (right) marks.push(label(isBeside ? width - last - 4 : width - 2, y(0) + (right > 0 === isBeside ? -4 : 12), signed(right), {class: 'tick', 'text-anchor': 'end'}));
  return chart(width, height, title, several > 1 ? `${sentence} Each bar is the mean of ${several} queries.` : sentence, ...marks);
}

/** Each query by its values in two runs; above the line the second is better. */
export function scatter(rows, [first, second], title) {
  const size = room(340);
  const [low, high] = extent(rows.flatMap((row) => [row.base, row.value]), 0, 1);
  const at = scaled(low, high, 34, size - 8);
  const shown = rows.length > POINTS ? rows.filter((_, place) => place % Math.ceil(rows.length / POINTS) === 0) : rows;
  const marks = shown.map((row) => svg('circle', {class: `dot ${kind(row.gain)}`, 'data-query': row.id, cx: at(row.base), cy: size - at(row.value), r: 4},
    svg('title', {}, `${row.id}: ${number(row.base)}, ${number(row.value)}`)));
  marks.unshift(svg('line', {class: 'axis', x1: at(low), y1: size - at(low), x2: at(high), y2: size - at(high)}));
  marks.push(label(size / 2, size - 4, first, {class: 'tick', 'text-anchor': 'middle'}), label(4, 14, second, {class: 'tick'}));
  const picked = shown.length < rows.length ? `; every ${Math.ceil(rows.length / POINTS)}th of ${rows.length} queries is drawn` : '';
  return chart(size, size, title, `Across ${first}, up ${second}${picked}`, ...marks);
}

/** How many queries have which values, in ten steps, for each run. */
export function histogram(series, title) {
  const [low, high] = extent([...series.values()].flat(), 0, 1);
  const counts = [...series].map(([name, values]) => {
    const bins = Array(10).fill(0);
    values.forEach((value) => { if (value !== null) bins[Math.min(9, Math.floor(((value - low) / (high - low)) * 10))] += 1; });
    return [name, bins];
  });
  const [height, most] = [190, Math.max(1, ...counts.flatMap(([, bins]) => bins))];
  const all = room(960);
  const step = (all - 20) / 10;
  const width = (step * 0.86) / counts.length;
  const marks = counts.flatMap(([name, bins], run) => bins.map((count, bin) => {
    const size = ((height - 30) * count) / most;
    return svg('rect', {class: `bar series-${run % 8} ${run ? 'second' : ''}`, x: 10 + bin * step + run * width, width, y: height - 18 - size, height: size}, svg('title', {}, `${name}: ${count} queries`));
  }));
  for (let bin = 0; bin <= 10; bin += 2) marks.push(label(10 + bin * step, height - 4, (low + ((high - low) * bin) / 10).toFixed(1), {class: 'tick', 'text-anchor': 'middle'}));
  return chart(all, height, title, counts.map(([name, bins]) => `${name}: ${bins[0]} of ${bins.reduce((one, other) => one + other, 0)} queries in the lowest tenth`).join('; '), ...marks);
}

/** Queries by runs, those that runs differ most on first; darker is higher, and n/a has a dashed frame. */
export function heat(rows, runs, title, sentence) {
  const several = Math.max(1, Math.ceil(rows.length / BARS));
  const columns = rows.filter((_, place) => place % several === 0);
  const width = room(960);
  const left = Math.min(130, width * 0.3);
  const step = (width - left) / Math.max(columns.length, 1);
  const [low, high] = extent(rows.flatMap((row) => row.values), 0, 1);
  const share = scaled(low, high, 0, 1);
  const marks = runs.flatMap((run, line) => [
    fitting(left - 8, line * LINE + 17, run, left - 8, {'text-anchor': 'end'}),
    ...columns.map((row, place) => svg('rect', {class: 'cell', 'data-query': row.id, x: left + place * step, width: Math.max(step - 0.4, 0.6), y: line * LINE + 2, height: LINE - 4, 'fill-opacity': share(row.values[line] ?? low), 'stroke-dasharray': row.values[line] === null ? 2 : null},
      svg('title', {}, `${row.id}, ${run}: ${number(row.values[line])}`))),
  ]);
  const picked = several > 1 ? ` Every ${several}th of ${rows.length} queries is drawn.` : '';
  return chart(width, runs.length * LINE + 4, title, `${sentence}${picked}`, ...marks);
}

/** Lines over places that stand side by side, such as cutoffs; series are name and points {at, value}. */
export function lines(series, title) {
  const places = [...new Set([...series.values()].flat().map((point) => point.at))].sort((one, other) => one - other);
  const [width, height, left] = [room(384), 200, 34];
  const x = (at) => left + ((width - left - 12) * places.indexOf(at)) / Math.max(places.length - 1, 1);
  const most = Math.max(1, ...[...series.values()].flat().map((point) => point.value ?? 0));
  const y = scaled(0, most, height - 20, 8);
  const marks = places.map((at) => label(x(at), height - 4, at, {class: 'tick', 'text-anchor': 'middle'}));
  for (const share of [0, 0.5, 1]) marks.push(svg('line', {class: 'grid', x1: left, x2: width - 12, y1: y(share * most), y2: y(share * most)}), label(left - 4, y(share * most) + 4, (share * most).toFixed(1), {class: 'tick', 'text-anchor': 'end'}));
  [...series].forEach(([name, points], run) => {
    const known = points.filter((point) => point.value !== null);
    marks.push(svg('polyline', {class: `line series-${run % 8}`, 'stroke-dasharray': DASHES[run % 8], points: known.map((point) => `${x(point.at)},${y(point.value)}`).join(' ')}, svg('title', {}, name)));
  });
  return chart(width, height, title, [...series].map(([name, points]) => `${name} ends at ${number(points.at(-1)?.value)}`).join(', '), ...marks);
}

/** Round numbers between two ends, about so many. */
function ticks(low, high, count) {
  const least = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= least);
  const first = Math.ceil(low / step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Array.from({length: Math.max(0, Math.floor(high / step) - first + 1)}, (_, index) => [(first + index) * step, ((first + index) * step).toFixed(digits).replace('-', '\u2212')]);
}

const wide = (content) => [...content].reduce((sum, letter) => sum + (letter.codePointAt(0) > 0x2e7f ? 2 : 1) * LETTER, 0);
const crosses = (one, other) => one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
const AROUND = [[8, -7], [8, 15], [-8, -7], [-8, 15], [10, 4], [-10, 4], [8, -20], [8, 28], [-8, -20], [-8, 28]]; // from a point to its name

/** A place beside each point for its name, which covers no point and no other name; null where there is not room for all. */
function labelPositions(points, names, [left, top, right, bottom]) {
  const taken = points.map(([x, y]) => [x - 6, y - 6, x + 6, y + 6]);
  const positions = points.map(([x, y], index) => {
    const size = wide(names[index]);
    const offset = AROUND.find(([across, up]) => {
      const start = across < 0 ? x + across - size : x + across;
      const box = [start, y + up - 10, start + size, y + up + 3];
      return box[0] >= left && box[1] >= top && box[2] <= right && box[3] <= bottom && !taken.some((other) => crosses(box, other)) && taken.push(box);
    });
    return offset ? {x: x + offset[0], y: y + offset[1], 'text-anchor': offset[0] < 0 ? 'end' : 'start'} : null;
  });
  return positions.every((at) => at) ? positions : null;
}

/** Runs by two measures, better ones further up and right, the Pareto set filled and joined; whether numbers stand for names. */
export function tradeoff(rows, [across, up], [below, beyond]) {
  const measured = rows.filter((row) => row.x !== null && row.y !== null);
  const width = room(640);
  const height = width < NARROW ? 300 : 380;
  const [left, top, right, bottom] = [48, 24, width - 8, height - 40];
  const scale = (axis, isLower, from, to) => {
    const [low, high] = extent(measured.flatMap((row) => [row[axis], row[`${axis}_low`], row[`${axis}_high`]]));
    const edge = 0.06 * (high - low) || 0.06;
    const ends = [low - edge, high + edge];
    return [ends, isLower ? scaled(ends[1], ends[0], from, to) : scaled(...ends, from, to)];
  };
  const [[lowX, highX], x] = scale('x', below, left, right);
  const [[lowY, highY], y] = scale('y', beyond, bottom, top);
  const marks = [];
  for (const [at, name] of ticks(lowX, highX, width < NARROW ? 3 : 5)) marks.push(svg('line', {class: 'grid', x1: x(at), x2: x(at), y1: top, y2: bottom}), label(x(at), bottom + 15, name, {class: 'tick', 'text-anchor': 'middle'}));
  for (const [at, name] of ticks(lowY, highY, 5)) marks.push(svg('line', {class: 'grid', x1: left, x2: right, y1: y(at), y2: y(at)}), label(left - 4, y(at) + 4, name, {class: 'tick', 'text-anchor': 'end'}));
  const titled = (measure, note) => (note ? `${measure}, ${note}` : measure);
  marks.push(fitting(right, height - 6, titled(across, below), right - left, {'text-anchor': 'end'}), fitting(0, 12, titled(up, beyond), right));
  const front = measured.filter((row) => row.pareto).toSorted((one, other) => x(one.x) - x(other.x));
  marks.push(svg('polyline', {class: 'front', points: front.map((row) => `${x(row.x)},${y(row.y)}`).join(' ')}));
  for (const row of measured) {
    if (row.x_low !== null) marks.push(svg('line', {class: 'line thin', x1: x(row.x_low), x2: x(row.x_high), y1: y(row.y), y2: y(row.y)}));
    if (row.y_low !== null) marks.push(svg('line', {class: 'line thin', x1: x(row.x), x2: x(row.x), y1: y(row.y_low), y2: y(row.y_high)}));
  }
  const points = measured.map((row) => [x(row.x), y(row.y)]);
  const most = width < NARROW ? 18 : 30;
  const names = measured.map(({run}) => ([...run].length > most ? `${[...run].slice(0, most - 1).join('')}…` : run));
  const named = labelPositions(points, names, [left, top, right, bottom]);
  const numbers = measured.map((row) => String(rows.indexOf(row) + 1));
  const shown = named ?? labelPositions(points, numbers, [left, top, right, bottom]) ?? points.map(([at, line]) => ({x: at + 7, y: line - 5}));
  measured.forEach((row, index) => {
    const [atX, atY] = points[index];
    marks.push(svg('circle', {class: `dot ${row.pareto ? 'up' : 'hollow'}`, cx: atX, cy: atY, r: 5}, svg('title', {}, `${row.run}: ${across} ${number(row.x)}, ${up} ${number(row.y)}`)));
    marks.push(label(shown[index].x, shown[index].y, (named ? names : numbers)[index], {class: 'tick', ...shown[index]}, row.run));
  });
  const sentence = rows.map((row) => `${row.run}: ${across} ${number(row.x)}, ${up} ${number(row.y)}`).join('; ');
  return [chart(width, height, `${up} against ${across}`, sentence, ...marks), !named];
}
