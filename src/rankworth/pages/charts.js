// Charts as SVG with a title and a sentence for those who do not see them. They draw numbers that the server computed.

import {button, download, el, number, redraw, svg, visible} from './dom.js';

export const DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 4', '10 4', '4 2', '12 2 2 2'];

export function chart(width, height, title, sentence, ...marks) {
  const label = `${title}. ${sentence}`;
  return svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': label}, ...marks);
}

/** How many pixels a chart has, at most so many, so that its letters keep their size on a narrow page. */
export const room = (most) => Math.min(most, document.getElementById('main').clientWidth);

/** Draw again once the page has another width. */
export function onWidth(draw) {
  let width = document.documentElement.clientWidth;
  window.addEventListener('resize', () => {
    if (document.documentElement.clientWidth === width) return;
    width = document.documentElement.clientWidth;
    draw();
  });
}

export const label = (x, y, content, attributes = {}, title = content) =>
  svg('text', {x, y, ...attributes}, visible(content), title === content ? null : svg('title', {}, visible(title)));

const DRAWN = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linejoin', 'stroke-linecap',
  'paint-order', 'font-family', 'font-size', 'font-weight', 'text-anchor'];

/** A chart as a file of its own: what the style of the page gives to its marks is in their attributes. */
export function standalone(drawing) {
  const copied = drawing.cloneNode(true);
  const marks = [...copied.querySelectorAll('*')];
  [...drawing.querySelectorAll('*')].forEach((mark, index) => {
    const style = getComputedStyle(mark);
    if (mark.tagName !== 'title') DRAWN.forEach((name) => marks[index].setAttribute(name, style.getPropertyValue(name)));
    ['class', 'data-query', 'tabindex'].forEach((name) => marks[index].removeAttribute(name));
  });
  const [, , width, height] = drawing.getAttribute('viewBox').split(' ');
  for (const [name, value] of Object.entries({width, height, xmlns: 'http://www.w3.org/2000/svg'})) copied.setAttribute(name, value);
  copied.removeAttribute('class');
  copied.prepend(svg('rect', {width, height, fill: getComputedStyle(document.body).backgroundColor}));
  return new XMLSerializer().serializeToString(copied);
}

/** A chart with a button that saves it. */
export const figure = (drawing, name) => el('figure', {class: 'figure'}, drawing,
  button('Save as SVG', () => download(`${name}.svg`, standalone(drawing), 'image/svg+xml'), {class: 'link small', 'data-key': `save-${name}`, 'aria-label': `Save as SVG: ${name}`}));

/** What each rank adds, beside what it would add in the ideal ranking. */
export function contributions(terms, ideal, measure) {
  const ranks = Math.max(terms.length, ideal.length, 1);
  const highest = Math.max(...terms.map((term) => term.contribution ?? 0), ...ideal.map((term) => term.contribution ?? 0), 1e-9);
  const [width, height, foot] = [room(420), 150, 18];
  const step = width / ranks;
  const every = [1, 5, 10, 20, 50, 100, 200].find((count) => count * step >= 22) ?? 500; // so many ranks share a number
  const size = (value) => ((height - foot - 8) * Math.max(value ?? 0, 0)) / highest;
  const marks = [];
  for (let index = 0; index < ranks; index += 1) {
    const x = index * step + step * 0.12;
    const [here, there] = [terms[index], ideal[index]];
    if (here) {
      marks.push(svg('rect', {class: 'bar', x, width: step * 0.76, y: height - foot - size(here.contribution), height: size(here.contribution)},
        svg('title', {}, `rank ${here.rank}, ${here.document}: adds ${number(here.contribution)}`)));
    }
    if (there) marks.push(svg('rect', {class: 'ideal', x, width: step * 0.76, y: height - foot - size(there.contribution), height: size(there.contribution)}));
    if ((index + 1) % every === 0) marks.push(label((index + 0.5) * step, height - 4, index + 1, {class: 'tick', 'text-anchor': 'middle'}));
  }
  const best = terms.reduce((most, term) => ((term.contribution ?? 0) > (most?.contribution ?? 0) ? term : most), null);
  const sentence = best ? `Rank ${best.rank} adds most, ${number(best.contribution)}` : 'No rank adds anything';
  return chart(width, height, `What each rank adds to ${measure}`, `${sentence}. Dashed: the ideal ranking`, ...marks);
}

/** Values at every cutoff, a line for each measure. */
export function curves(rows) {
  const series = Map.groupBy(rows.filter((row) => row.value !== null), (row) => row.measure);
  const deepest = Math.max(...rows.map((row) => row.cutoff), 2);
  const highest = Math.max(1, ...rows.map((row) => row.value ?? 0));
  const [width, height, left, foot, right] = [room(420), 190, 34, 18, 8];
  const x = (k) => left + ((width - left - right) * (k - 1)) / (deepest - 1);
  const y = (value) => height - foot - ((height - foot - 8) * value) / highest;
  const marks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    svg('line', {class: 'grid', x1: left, x2: width - right, y1: y(share * highest), y2: y(share * highest)}),
    label(left - 4, y(share * highest) + 4, (share * highest).toFixed(2), {class: 'tick', 'text-anchor': 'end'}),
  ]);
  const step = Math.max(1, Math.ceil(deepest / 10));
  for (let k = 1; k <= deepest; k += step) marks.push(label(x(k), height - 4, k, {class: 'tick', 'text-anchor': 'middle'}));
  const ends = [];
  [...series].forEach(([measure, points], index) => {
    const path = points.map((point) => `${x(point.cutoff)},${y(point.value)}`).join(' ');
    marks.push(svg('polyline', {class: `line series-${index % 8}`, points: path, 'stroke-dasharray': DASHES[index % 8]},
      svg('title', {}, measure)));
    ends.push(`${measure} ${number(points.at(-1).value)}`);
  });
  return chart(width, height, 'Values by cutoff', `At ${deepest}: ${ends.join(', ')}`, ...marks);
}

/** The legend of the curves. */
export const legend = (measures) =>
  measures.map((measure, index) => [
    svg('svg', {viewBox: '0 0 24 8', class: 'key', 'aria-hidden': 'true'},
      svg('line', {class: `line series-${index % 8}`, x1: 0, x2: 24, y1: 4, y2: 4, 'stroke-dasharray': DASHES[index % 8]})),
    measure,
  ]);

/** Draw lines between the same documents of the two rankings beside `.slopes`, where their rows stand now. */
export function drawSlopes(container) {
  const lines = container.querySelector('.slopes');
  if (!lines) return;
  const {top, height} = lines.getBoundingClientRect();
  const [first, second] = [...container.querySelectorAll('.documents')].map((list) => [...list.children].map((row) => {
    const box = row.getBoundingClientRect();
    return {document: row.dataset.document, y: (box.top + box.bottom) / 2 - top};
  }));
  redraw(lines, slopes(first, second ?? [], height));
}

/** A bar from the middle of its track: to the right what is better, to the left what is worse. */
export function differenceBar(value, largest, width = 108) {
  const size = Math.max((Math.abs(value) / (largest || 1)) * (width / 2), 1);
  return svg('svg', {class: 'track', viewBox: `0 0 ${width} 6`, preserveAspectRatio: 'none', width, height: 6, 'aria-hidden': 'true'},
    svg('rect', {class: 'ground', width, height: 6, rx: 3}),
    value ? svg('rect', {class: `filled ${value > 0 ? 'up' : 'down'}`, x: value > 0 ? width / 2 : width / 2 - size, width: size, height: 6, rx: Math.min(3, size / 2)}) : null);
}

/** A bar from the left, as long as its share of the largest one. */
export function amountBar(value, largest, width = 96, ground = false) {
  const size = Math.max((value / (largest || 1)) * width, 0);
  return svg('svg', {class: 'track', viewBox: `0 0 ${width} 6`, preserveAspectRatio: 'none', width, height: 6, 'aria-hidden': 'true'},
    ground ? svg('rect', {class: 'ground', width, height: 6, rx: 3}) : null,
    size > 0 ? svg('rect', {class: 'filled amount', width: size, height: 6, rx: Math.min(3, size / 2)}) : null);
}

function slopes(first, second, height) {
  const indices = new Map(second.map((row, index) => [row.document, index]));
  const marks = [];
  first.forEach((row, index) => {
    const other = indices.get(row.document);
    if (other === undefined) return;
    const kind = other < index ? 'up' : other > index ? 'down' : 'level';
    marks.push(svg('path', {class: `slope ${kind}`, d: `M0 ${row.y}C30 ${row.y} 30 ${second[other].y} 60 ${second[other].y}`}));
  });
  const sentence = `${marks.length} documents stand in both rankings`;
  return svg('svg', {viewBox: `0 0 60 ${height}`, width: 60, height, role: 'img', 'aria-label': sentence}, ...marks);
}
