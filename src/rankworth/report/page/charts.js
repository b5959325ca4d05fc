// Charts of runs and queries. They draw numbers that the library computed; what has a data-query opens that query.

import {chart, DASHES, label, room} from '../../pages/charts.js';
import {number, signed, svg, visible} from '../../pages/dom.js';

const [LINE, NARROW] = [26, 560]; // on a chart less wide than this, names have lines of their own
const LETTER = 6.8; // how many pixels a letter of a label has
const BARS = 360; // beyond so many queries, several share a bar
const POINTS = 1500;

const scaled = (low, high, from, to) => (value) => from + ((to - from) * (value - low)) / (high - low || 1);

const extent = (values, ...more) => {
  const known = [...values.filter((value) => value !== null && value !== undefined), ...more];
  return known.length ? [known.reduce((one, other) => Math.min(one, other)), known.reduce((one, other) => Math.max(one, other))] : [0, 1];
};

/** A text that fits into so many pixels. */
function cut(content, pixels) {
  const most = Math.max(4, Math.floor(pixels / LETTER));
  const letters = [...visible(content)];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : letters.join('');
}

/** A label that fits into so many pixels; all of it is in its title. */
const fitting = (x, y, content, pixels, attributes = {}) => label(x, y, cut(content, pixels), {class: 'tick', ...attributes}, content);

/** Round numbers between two ends, about so many, with their texts. */
function ticks(low, high, count) {
  const least = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= least);
  const start = Math.ceil(low / step - 1e-9);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Array.from({length: Math.max(0, Math.floor(high / step + 1e-9) - start + 1)}, (_, index) => {
    const at = (start + index) * step;
    return [at, Math.abs(at) < step / 2 ? '0' : at.toFixed(digits).replace('-', '\u2212')];
  });
}

/** Lines and texts of a horizontal axis. */
const across = (x, [low, high], count, top, bottom) => ticks(low, high, count).flatMap(([at, name]) => [
  svg('line', {class: at === 0 || name === '0' ? 'axis' : 'grid', x1: x(at), x2: x(at), y1: top, y2: bottom}),
  label(x(at), bottom + 16, name, {class: 'tick', 'text-anchor': 'middle'})]);

/** Lines and texts of a vertical axis. */
const upward = (y, [low, high], count, left, right) => ticks(low, high, count).flatMap(([at, name]) => [
  svg('line', {class: at === 0 || name === '0' ? 'axis' : 'grid', x1: left, x2: right, y1: y(at), y2: y(at)}),
  label(left - 6, y(at) + 4, name, {class: 'tick', 'text-anchor': 'end'})]);

/**
 * Values with intervals, a line for each, with an axis below; groups are {name, margin, rows} with rows {name, value, low, high, text, kind}.
 * The margin of a group is shaded and labelled.
 */
export function intervals(title, sentence, groups, from = [0]) {
  const width = room(1040);
  const isNarrow = width < NARROW;
  const rows = groups.flatMap((group) => group.rows);
  const [left, right, line] = isNarrow ? [8, 8, 2 * LINE] : [Math.min(280, width * 0.28), 150, LINE];
  const margins = groups.flatMap(({margin}) => (margin ? [-margin, margin] : []));
  const ends = extent(rows.flatMap((row) => [row.value, row.low, row.high]), ...margins, ...from);
  const x = scaled(...ends, left, width - right);
  const heading = (group) => (group.name ? LINE : 0);
  const height = rows.length * line + groups.reduce((sum, group) => sum + heading(group), 0) + 26;
  const marks = across(x, ends, isNarrow ? 4 : 6, 0, height - 24);
  let y = 0;
  for (const group of groups) {
    const top = y + heading(group);
    const bottom = top + group.rows.length * line;
    if (group.margin) {
      marks.push(svg('rect', {class: 'margin', x: x(-group.margin), width: x(group.margin) - x(-group.margin), y: top, height: bottom - top}));
      if (group.name) marks.push(label(width, y + 18, `shaded: margin ±${group.margin}`, {class: 'tick muted', 'text-anchor': 'end'}));
    }
    if (group.name) marks.push(fitting(0, y + 18, group.name, width - (group.margin ? 170 : 0), {class: 'tick strong halo'}));
    group.rows.forEach((row, index) => {
      const at = top + index * line + line - LINE / 2;
      marks.push(isNarrow ? fitting(0, at - LINE + 8, row.name, width - (row.text.length + 2) * LETTER, {class: 'tick halo'}) : fitting(left - 8, at + 4, row.name, left - 8, {'text-anchor': 'end'}));
      marks.push(isNarrow ? label(width, at - LINE + 8, row.text, {class: 'tick halo', 'text-anchor': 'end'}) : label(width - right + 8, at + 4, row.text, {class: 'tick'}));
      if (row.value === null) return;
      if (row.low !== null && row.low !== undefined) marks.push(svg('line', {class: `line ${row.kind ?? ''}`, x1: x(row.low), x2: x(row.high), y1: at, y2: at}));
      if (row.innerLow !== null && row.innerLow !== undefined) marks.push(svg('line', {class: 'interval', x1: x(row.innerLow), x2: x(row.innerHigh), y1: at, y2: at}));
      marks.push(svg('circle', {class: `dot ${row.kind ?? ''}`, cx: x(row.value), cy: at, r: 5}));
    });
    y = bottom;
  }
  return chart(width, height, title, sentence, ...marks);
}

/** What a difference is: a gain, a loss or neither. */
const kind = (gain) => (gain > 0 ? 'up' : gain < 0 ? 'down' : 'level');

/** The differences of all queries, the largest gain first. */
export function differences(rows, title, sentence, [first, second]) {
  const several = Math.max(1, Math.ceil(rows.length / BARS));
  const bars = Array.from({length: Math.ceil(rows.length / several)}, (_, place) => rows.slice(place * several, (place + 1) * several));
  const ends = extent(rows.map((row) => row.difference), 0);
  if (ends[0] === ends[1]) ends[1] = 1;
  const [width, height, left, foot] = [room(1040), 240, 44, 24];
  const y = scaled(...ends, height - foot - 8, 8);
  const step = (width - left) / Math.max(bars.length, 1);
  const marks = upward(y, ends, 7, left, width);
  marks.push(...bars.map((some, place) => {
    const [value, gain] = ['difference', 'gain'].map((name) => some.reduce((sum, row) => sum + row[name], 0) / some.length);
    const name = some.length > 1 ? `${some.length} queries from ${some[0].id}` : some[0].id;
    return svg('rect', {class: `bar ${kind(gain)}`, 'data-query': some[0].id, x: left + place * step, width: Math.max(step * 0.85, 0.8), y: Math.min(y(0), y(value)), height: Math.max(1, Math.abs(y(value) - y(0)))},
      svg('title', {}, visible(`${name}: ${signed(value)}`)));
  }));
  const half = (width - left) / 2 - 8;
  marks.push(fitting(left, height - 4, `← ${second} better`, half, {class: 'tick muted'}), fitting(width, height - 4, `${first} better →`, half, {class: 'tick muted', 'text-anchor': 'end'}));
  return chart(width, height, title, several > 1 ? `${sentence} Each bar is the mean of ${several} queries.` : sentence, ...marks);
}

/** Each query by its values in two runs; on the one side of the diagonal the second is better. */
export function scatter(rows, [first, second], title, sign) {
  const size = room(440);
  const ends = extent(rows.flatMap((row) => [row.base, row.value]), 0, 1);
  const [left, top, right, bottom] = [44, 24, size - 10, size - 40];
  const [x, y] = [scaled(...ends, left, right), scaled(...ends, bottom, top)];
  const shown = rows.length > POINTS ? rows.filter((_, place) => place % Math.ceil(rows.length / POINTS) === 0) : rows;
  const marks = [...across(x, ends, 5, top, bottom), ...upward(y, ends, 5, left, right), svg('line', {class: 'diagonal', x1: x(ends[0]), y1: y(ends[0]), x2: x(ends[1]), y2: y(ends[1])})];
  marks.push(...shown.map((row) => svg('circle', {class: `dot ${kind(row.gain)}`, 'data-query': row.id, cx: x(row.base), cy: y(row.value), r: 4},
    svg('title', {}, visible(`${row.id}: ${number(row.base)}, ${number(row.value)}`)))));
  const half = (right - left) / 2 - 12;
  const [above, under] = sign < 0 ? [first, second] : [second, first];
  marks.push(fitting(left + 8, top + 18, `${above} better`, half, {class: 'tick muted halo'}), fitting(right - 8, bottom - 10, `${under} better`, half, {class: 'tick muted halo', 'text-anchor': 'end'}));
  marks.push(fitting(right, size - 4, `${first} →`, right - left, {'text-anchor': 'end'}), fitting(0, 12, `↑ ${second}`, right));
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
  const [all, left] = [room(1040), 44];
  const step = (all - left - 10) / 10;
  const width = (step * 0.86) / counts.length;
  const marks = upward(scaled(0, most, height - 24, 8), [0, most], Math.min(4, most), left, all);
  marks.push(...counts.flatMap(([name, bins], run) => bins.map((count, bin) => {
    const size = ((height - 32) * count) / most;
    return svg('rect', {class: `bar ${run ? 'second' : ''}`, x: left + bin * step + run * width, width, y: height - 24 - size, height: size}, svg('title', {}, visible(`${name}: ${count} queries`)));
  })));
  for (let bin = 0; bin <= 10; bin += 2) marks.push(label(left + bin * step, height - 4, (low + ((high - low) * bin) / 10).toFixed(1), {class: 'tick', 'text-anchor': 'middle'}));
  return chart(all, height, title, counts.map(([name, bins]) => `${name}: ${bins[0]} of ${bins.reduce((one, other) => one + other, 0)} queries in the lowest tenth`).join('; '), ...marks);
}

/** Queries by runs, those that runs differ most on first; darker is higher, and n/a has a dashed frame. */
export function heat(rows, runs, title, sentence) {
  const several = Math.max(1, Math.ceil(rows.length / BARS));
  const columns = rows.filter((_, place) => place % several === 0);
  const width = room(1040);
  const left = Math.min(150, width * 0.3);
  const step = (width - left) / Math.max(columns.length, 1);
  const ends = extent(rows.flatMap((row) => row.values), 0, 1);
  const share = scaled(...ends, 0, 1);
  const marks = runs.flatMap((run, line) => [
    fitting(left - 8, line * LINE + 17, run, left - 8, {'text-anchor': 'end'}),
    ...columns.map((row, place) => svg('rect', {class: 'cell', 'data-query': row.id, x: left + place * step, width: Math.max(step - 0.4, 0.6), y: line * LINE + 2, height: LINE - 4, 'fill-opacity': share(row.values[line] ?? ends[0]), 'stroke-dasharray': row.values[line] === null ? 2 : null},
      svg('title', {}, visible(`${row.id}, ${run}: ${number(row.values[line])}`)))),
  ]);
  const [top, size] = [runs.length * LINE + 8, Math.min(24, (width - left) / 10)];
  for (let part = 0; part <= 4; part += 1) marks.push(svg('rect', {class: 'cell', x: left + 34 + part * size, width: size - 1, y: top, height: 14, 'fill-opacity': part / 4}));
  marks.push(label(left, top + 12, number(ends[0], 1), {class: 'tick'}), label(left + 40 + 5 * size, top + 12, number(ends[1], 1), {class: 'tick'}));
  const picked = several > 1 ? ` Every ${several}th of ${rows.length} queries is drawn.` : '';
  return chart(width, top + 18, title, `${sentence}${picked}`, ...marks);
}

/** Lines over places that stand side by side, such as cutoffs; series are name and points {at, value}. */
export function lines(series, title) {
  const places = [...new Set([...series.values()].flat().map((point) => point.at))].sort((one, other) => one - other);
  const [width, height, left] = [room(500), 220, 44];
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
export function tradeoff(rows, [horizontal, vertical], [below, beyond]) {
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
  marks.push(fitting(right, height - 6, titled(horizontal, below), right - left, {'text-anchor': 'end'}), fitting(0, 12, titled(vertical, beyond), right));
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
    marks.push(svg('circle', {class: `dot ${row.pareto ? 'up' : 'hollow'}`, cx: atX, cy: atY, r: 5}, svg('title', {}, `${row.run}: ${horizontal} ${number(row.x)}, ${vertical} ${number(row.y)}`)));
    marks.push(label(shown[index].x, shown[index].y, (named ? names : numbers)[index], {class: 'tick', ...shown[index]}, row.run));
  });
  const sentence = rows.map((row) => `${row.run}: ${horizontal} ${number(row.x)}, ${vertical} ${number(row.y)}`).join('; ');
  return [chart(width, height, `${vertical} against ${horizontal}`, sentence, ...marks), !named];
}
