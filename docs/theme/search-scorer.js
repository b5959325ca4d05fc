/* The order of what a search finds: pages that say how to do something before those that list everything, and pages
   on why rankworth is as it is last. A title that is the words searched for adds 15, a word in the text 5. */
var Scorer = {
  places: {"": 18, "tutorials": 22, "howto": 20, "notebooks": 15, "measures": 15, "errors": 5, "api": 0, "conventions": 0, "howto/not-here": 0, "tutorials/README": 10},
  score: ([page, , , , score]) => score + (Scorer.places[page] ?? Scorer.places[page.split("/").slice(0, -1).join()] ?? 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
