// The state of the playground: changes with undo and redo, and a link that holds all of it.

const LONGEST = 100;

export const EMPTY = {
  query: 'q', text: '', documents: [], rankings: [{name: 'System', documents: [], scores: null}],
  measures: ['nDCG', 'RR', 'AP', 'P', 'R', 'RBP(p=0.8)'], lead: 0, cutoff: 10, gain: '', rel: null,
  profile: 'standard-1', settings: {}, example: null, note: '',
};
const isText = (value) => typeof value === 'string';
const isNumber = (value) => typeof value === 'number';
const isUnset = (value) => value === null || value === undefined;
const isList = (of) => (value) => Array.isArray(value) && value.every(of);
const isObject = (shape) => (value) => value !== null && typeof value === 'object' && Object.entries(shape).every(([name, fits]) => fits(value[name]));
const or = (...kinds) => (value) => kinds.some((fits) => fits(value));
const isState = isObject({
  documents: isList(isObject({id: isText, grade: or(isUnset, isNumber), text: or(isUnset, isText)})),
  rankings: isList(isObject({name: isText, documents: isList(isText), scores: or(isUnset, isList(isNumber))})),
  measures: or(isUnset, isList(isText)), settings: or(isUnset, isObject({})),
  ...Object.fromEntries(['query', 'text', 'gain', 'profile', 'note'].map((name) => [name, or(isUnset, isText)])),
  ...Object.fromEntries(['lead', 'cutoff', 'rel', 'example'].map((name) => [name, or(isUnset, isNumber)])),
});

/** A state with defaults for whatever it leaves open. */
export function completed(state) {
  const held = Object.fromEntries(Object.entries(structuredClone(state)).filter(([, value]) => !isUnset(value)));
  const documents = held.documents.map((each) => ({text: '', ...each, grade: each.grade ?? null}));
  return {...structuredClone(EMPTY), cutoff: null, ...held, documents};
}

export class History {
  constructor(state) {
    this.past = [];
    this.future = [];
    this.now = state;
  }

  change(state) {
    this.past = [...this.past.slice(1 - LONGEST), this.now];
    this.future = [];
    this.now = state;
  }

  undo() {
    if (!this.past.length) return false;
    this.future.push(this.now);
    this.now = this.past.pop();
    return true;
  }

  redo() {
    if (!this.future.length) return false;
    this.past.push(this.now);
    this.now = this.future.pop();
    return true;
  }
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** The state as the fragment of a link: JSON, deflated, in the letters of URLs. */
export async function encoded(state) {
  const bytes = await through(new CompressionStream('deflate-raw'), new TextEncoder().encode(JSON.stringify(state)));
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The state of a fragment; null where it is none. */
export async function decoded(fragment) {
  try {
    const binary = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = await through(new DecompressionStream('deflate-raw'), Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    const known = new Set(isState(state) ? state.documents.map((each) => each.id) : []);
    const holds = isState(state) && state.rankings.length && state.rankings.every((ranking) => ranking.documents.every((each) => known.has(each)));
    return holds ? completed(state) : null;
  } catch {
    return null;
  }
}

/** The state with a changed ranking. */
export const withRanking = (state, index, change) => ({
  ...state, rankings: state.rankings.map((each, here) => (here === index ? {...each, ...change(each)} : each)),
});

/** A document at another rank, where it is tied with no other; the others keep their scores, but for those that it parts. */
export const moved = (state, index, from, to) =>
  withRanking(state, index, ({documents, scores}) => {
    const order = documents.toSpliced(from, 1).toSpliced(to, 0, documents[from]);
    if (!scores) return {documents: order};
    const rest = scores.toSpliced(from, 1);
    const [above, below] = [rest[to - 1] ?? (rest[0] ?? 0) + 2, rest[to] ?? (rest.at(-1) ?? 0) - 2];
    if (above > below) return {documents: order, scores: rest.toSpliced(to, 0, (above + below) / 2)};
    const levels = rest.map((score, rank) => (rank < to ? score + 2 : score)); // it parts a group of equal scores
    return {documents: order, scores: levels.toSpliced(to, 0, above + 1)};
  });

/** A document with another grade. */
export const graded = (state, document, grade) => ({
  ...state, documents: state.documents.map((each) => (each.id === document ? {...each, grade} : each)),
});

const numbered = (length) => Array.from({length}, (_, rank) => length - rank);

/** A document that was not retrieved, at the end of a ranking. */
export const retrieved = (state, index, document) =>
  withRanking(state, index, ({documents, scores}) => ({
    documents: [...documents, document],
    scores: scores && [...scores, (scores.at(-1) ?? 1) - 1],
  }));

/** A ranking without a document, which stays among those that were not retrieved. */
export const dropped = (state, index, rank) =>
  withRanking(state, index, ({documents, scores}) => ({
    documents: documents.toSpliced(rank, 1), scores: scores && scores.toSpliced(rank, 1),
  }));

/** Whether a rank has the score of the rank above. */
export const isTied = ({scores}, rank) => Boolean(scores) && rank > 0 && scores[rank] === scores[rank - 1];

/** A rank tied with the rank above, or no longer. */
export const tied = (state, index, rank) =>
  withRanking(state, index, (ranking) => {
    const scores = [...(ranking.scores ?? numbered(ranking.documents.length))];
    if (rank === 0) return {};
    const above = scores[rank - 1];
    if (scores[rank] !== above) return {scores: scores.with(rank, above)};
    const below = scores.slice(rank).find((score) => score < above) ?? above - 1;
    return {scores: scores.map((score, here) => (here >= rank && score === above ? (above + below) / 2 : score))};
  });

/** A new document with an id that is free, at the end of a ranking, or nowhere. */
export function added(state, index, grade) {
  const ids = new Set(state.documents.map((each) => each.id));
  let count = state.documents.length + 1;
  while (ids.has(`d${count}`)) count += 1;
  const more = {...state, documents: [...state.documents, {id: `d${count}`, grade, text: ''}]};
  return index === null ? more : retrieved(more, index, `d${count}`);
}

/** The documents without that document, in no ranking either. */
export function removed(state, document) {
  let rest = {...state, documents: state.documents.filter((each) => each.id !== document)};
  state.rankings.forEach(({documents}, index) => {
    const rank = documents.indexOf(document);
    if (rank >= 0) rest = dropped(rest, index, rank);
  });
  return rest;
}

/** The documents of a ranking by grade, best first: its ideal order. */
export const sortedIdeally = (state, index) =>
  withRanking(state, index, ({documents}) => {
    const grades = new Map(state.documents.map((each) => [each.id, each.grade ?? -Infinity]));
    return {documents: documents.toSorted((left, right) => grades.get(right) - grades.get(left)), scores: null};
  });

/** A further ranking under a free name: a copy of another, or an empty ranking. */
export function withNewRanking(state, index = null) {
  const names = new Set(state.rankings.map((each) => each.name));
  let count = state.rankings.length + 1;
  while (names.has(`System ${count}`)) count += 1;
  const copied = index === null ? {documents: [], scores: null} : structuredClone(state.rankings[index]);
  return {...state, rankings: [...state.rankings, {...copied, name: `System ${count}`}]};
}

/** The state with a single ranking, as handlers take it. */
export const alone = (state, index) => ({...state, rankings: [state.rankings[index]]});

/** The state without texts, on which no value depends. */
export const bare = (state) => ({...state, documents: state.documents.map(({id, grade}) => ({id, grade}))});
