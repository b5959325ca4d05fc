// Elements, numbers as text, and messages for screen readers. Text only ever becomes text, never markup.

const SVG = 'http://www.w3.org/2000/svg';

/** An element with properties, attributes, listeners ({on: {click}}) and children; null children are left out. */
export function el(name, {on = {}, ...attributes} = {}, ...children) {
  return fill(document.createElement(name), attributes, on, children);
}

/** An element of SVG. */
export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, {}, children);
}

function fill(element, attributes, listeners, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  for (const [name, listener] of Object.entries(listeners)) element.addEventListener(name, listener);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined).map((child) => (typeof child === 'string' ? child.replace(TURNING, spelled) : child)));
  return element;
}

const TURNING = /[\u2028-\u202e]/g; // marks that turn what follows; those that isolate a name in a sentence stay
const spelled = (mark) => `\\u${mark.charCodeAt(0).toString(16)}`;

/** A text of a user whose marks of direction, which would turn what stands around it, are spelled out. */
export const visible = (value) => String(value).replace(/[\u2028-\u202e\u2066-\u2069]/g, spelled);

/** Text of the user in its own direction. */
export const text = (value, attributes = {}) => el('span', {dir: 'auto', ...attributes}, visible(value ?? ''));

const FIRST = 120; // how many letters of a text are shown at first

/** The first letters of a text. */
export const shortened = (value, most = FIRST) => (value.length > most ? `${[...value].slice(0, most).join('')} …` : value);

/** A text whose gold is marked; marks are [start, end] in letters, ascending. */
export function marked(value, marks, shown = (part) => part) {
  const letters = [...value];
  const part = (start, end) => shown(letters.slice(start, end).join(''));
  const starts = [0, ...marks.map(([, end]) => end)];
  return starts.flatMap((start, index) => (index < marks.length ? [part(start, marks[index][0]), el('mark', {}, part(...marks[index]))] : [part(start)])).filter((child) => child !== '');
}

const BEFORE = 12; // how many letters are shown before the first gold, where that begins late

/** The first letters of a text with gold, from shortly before the gold on where it begins late. */
function excerpt(value, marks) {
  const letters = [...value];
  const first = marks[0][0] <= 2 * BEFORE ? 0 : marks[0][0] - BEFORE;
  const last = Math.min(letters.length, first + FIRST);
  const within = marks.filter(([start]) => start < last).map(([start, end]) => [start - first, Math.min(end, last) - first]);
  return [first ? '… ' : '', ...marked(letters.slice(first, last).join(''), within, visible), last < letters.length ? ' …' : ''];
}

/** The title of a document, the first line of its text, or its id where there is no text; the id is in its tooltip. */
export function titled(value, name, attributes = {}, marks = []) {
  if (marks.length) return el('span', {dir: 'auto', title: name, ...attributes}, excerpt(value, marks));
  const [line] = (value ?? '').trimStart().split('\n', 1);
  return line ? text(shortened(line), {title: name, ...attributes}) : id(name, attributes);
}

/** What marks in texts are. */
export const goldLegend = () => el('p', {class: 'small'}, el('mark', {}, 'Marked and underlined'), ': gold.');

/** A document by its title, until its text is opened, and what stands above it. */
export const opening = (value, name, marks, attributes = {}, ...above) => el('details', {class: 'whole', ...attributes},
  el('summary', {}, titled(value, name, {class: 'clip'}, marks)), el('div', {}, ...above, el('div', {dir: 'auto'}, marked(value, marks))));

/** An id or a number, always from left to right. */
export const id = (value, attributes = {}) => el('bdi', {dir: 'ltr', ...attributes}, visible(value ?? ''));

/** A number with four decimals; n/a where there is none; what is below 1 is not shown as 1. */
export function number(value, digits = 4) {
  if (value === null || value === undefined) return 'n/a';
  let shown = value.toFixed(digits);
  for (let more = digits + 1; Number(shown) === 1 && value < 1 - 1e-9; more += 1) shown = value.toFixed(more);
  return shown.replace('-', '\u2212');
}

/** A difference: sign, number and word, so that colour is not needed. */
export function signed(value) {
  if (value === null || value === undefined) return 'n/a';
  if (value === 0) return '= 0';
  const size = Math.abs(value) < 0.00005 ? '<0.0001' : Math.abs(value).toFixed(4);
  return value > 0 ? `▲ +${size}` : `▼ \u2212${size}`;
}

/** A difference without arrow and word, beside a bar that says the same. */
export const plus = (value) => (value === null || value === undefined ? 'n/a' : `${value < 0 ? '\u2212' : '+'}${Math.abs(value).toFixed(4)}`);

export const direction = (value) => (value > 0 ? 'better' : value < 0 ? 'worse' : '');

/** A grade as text: ? where nobody judged. */
export const gradeText = (grade) => (grade === null ? '?' : String(grade));

/**
 * Put children into a container. A child marked data-kept stays in place where it is equal to the new one, so that the browser does not
 * lay it out again; of one marked data-kept="parts", the children are compared in turn.
 */
function renew(container, children) {
  children.forEach((child, index) => {
    const old = container.childNodes[index];
    const kept = old?.dataset?.kept === child.dataset?.kept ? old?.dataset?.kept : undefined;
    if (!old) container.append(child);
    else if (kept === 'parts' && old.cloneNode().isEqualNode(child.cloneNode())) renew(old, [...child.childNodes]);
    else if (!kept || !old.isEqualNode(child)) old.replaceWith(child);
  });
  while (container.childNodes.length > children.length) container.lastChild.remove();
}

/** Change what a container holds; the element with the focus gets it again by its data-key. */
export function redraw(container, ...children) {
  const key = document.activeElement?.closest?.('[data-key]')?.dataset.key;
  const held = container.contains(document.activeElement);
  renew(container, children.flat().filter((child) => child !== null && child !== undefined));
  if (held) focusOn(key);
}

/** Put the focus on the first element that is there and has a key of the list, or on the content. */
export function focusOn(...keys) {
  const target = keys.map((key) => document.querySelector(`[data-key="${CSS.escape(key ?? '')}"]:not(:disabled)`)).find(Boolean);
  (target ?? document.getElementById('main')).focus({preventScroll: !target});
  target?.scrollIntoView({block: 'nearest'});
}

/** Say something to screen readers, and show it at the foot of the page unless it stands elsewhere. */
export function announce(message, isShown = true) {
  const status = document.getElementById('status');
  status.classList.toggle('unseen', !isShown);
  status.textContent = message;
}

export const button = (label, action, attributes = {}) =>
  el('button', {type: 'button', ...attributes, on: action ? {click: action} : {}}, label);

/** A button that opens a panel of further controls above the page, and the panel, which stays while its content changes. */
export function panel(label, attributes = {}) {
  const body = el('div', {class: 'panel', popover: true, id: 'panel', role: 'group', 'aria-label': label,
    on: {toggle: () => opener.setAttribute('aria-expanded', String(body.matches(':popover-open'))), beforetoggle: () => below()}});
  const opener = button(label, null, {popovertarget: 'panel', 'aria-expanded': 'false', class: 'quiet', ...attributes});
  const below = () => { body.style.insetBlockStart = `${Math.max(0, opener.getBoundingClientRect().bottom) + 4}px`; };
  return [opener, body];
}

/** A label above its control. */
export const field = (label, control) => el('label', {class: 'field'}, el('span', {}, label), control);

/** A list of choices; each is a text, or a pair of value and text. */
export function select(choices, chosen, action, attributes = {}) {
  const options = choices.map((choice) => {
    const [value, label] = Array.isArray(choice) ? choice : [choice, choice];
    return el('option', {value, selected: String(value) === String(chosen)}, label);
  });
  return el('select', {...attributes, on: {change: (event) => action(event.target.value)}}, options);
}

/** A table with a caption; cells are texts or elements, and columns are {name, number, sorted, apart}; before one that is apart is a rule. */
export function table(caption, columns, rows) {
  const kind = ({number, apart}) => [number ? 'number' : '', apart ? 'apart' : ''].filter(Boolean).join(' ') || null;
  const cell = (value, index) =>
    el(index === 0 ? 'th' : 'td', {scope: index === 0 ? 'row' : null, class: kind(columns[index])}, value);
  return el(
    'div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    el('table', {}, el('caption', {}, caption),
      el('thead', {}, el('tr', {}, columns.map((column) =>
        el('th', {scope: 'col', class: kind(column), 'aria-sort': column.sorted}, column.name)))),
      el('tbody', {}, rows.map((row) => el('tr', {}, row.map(cell))))));
}

/** Part of the page that can be closed; its content is made while it is open. */
export function section(summary, draw, key) {
  const body = el('div', {});
  const details = el('details', {on: {toggle: () => details.open && draw(body)}},
    el('summary', {'data-key': key}, summary), body);
  details.redraw = () => details.open && draw(body);
  return details;
}

/** Copy a text, and say so; where the browser does not let the page do that, show the text, selected. */
export async function copy(value, what) {
  try {
    await navigator.clipboard.writeText(value); // there is no clipboard where the page is not served safely
    announce(`${what} copied`);
  } catch {
    showToCopy(value, what);
  }
}

function showToCopy(value, what) {
  const line = `${what}: the browser does not let the page copy it. Copy it here, with Ctrl+C or ⌘C.`;
  const area = el('textarea', {readonly: true, rows: Math.min(12, value.split('\n').length + 1), 'aria-label': what, dir: 'ltr'}, value);
  const dialog = el('dialog', {class: 'copy', 'aria-label': `${what} to copy`, on: {close: () => dialog.remove()}},
    el('p', {}, line), area, button('Close', () => dialog.close()));
  document.body.append(dialog);
  dialog.showModal();
  area.select();
  announce(line);
}

/** Offer a text as a file. */
export function download(name, value, type = 'text/plain') {
  const link = el('a', {href: URL.createObjectURL(new Blob([value], {type})), download: name});
  link.click();
  URL.revokeObjectURL(link.href);
}
