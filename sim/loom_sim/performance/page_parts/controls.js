// The part of the drawing that is shown, search, and the table of loops.
let view = { x: 0, y: 0, width: 100, height: 100 };
function show() {
  graph.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
  graph.classList.toggle("near", scale() > 0.75);
}
function scale() { return graph.getScreenCTM()?.a ?? 1; }
function fit() {
  const box = graph.getBBox();
  view = { x: box.x - 20, y: box.y - 20, width: box.width + 40, height: box.height + 40 };
  show();
}
function move(x, y) {
  view.x += x;
  view.y += y;
  show();
}
function zoom(factor, x, y) {
  view = { x: x - (x - view.x) * factor, y: y - (y - view.y) * factor,
    width: view.width * factor, height: view.height * factor };
  show();
}
function pan(box) {
  if (scale() < 0.6) zoom(scale(), view.x + view.width / 2, view.y + view.height / 2);
  move(box.x - view.x - view.width / 2, box.y - view.y - view.height / 2);
}
function at(x, y) { return new DOMPoint(x, y).matrixTransform(graph.getScreenCTM().inverse()); }
graph.addEventListener("wheel", (event) => {
  event.preventDefault();
  const point = at(event.clientX, event.clientY);
  zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, point.x, point.y);
}, { passive: false });

// One pointer moves the drawing, two zoom it; a click after a move is none.
const pointers = new Map();
let moved = 0;
graph.addEventListener("pointerdown", (event) => {
  pointers.set(event.pointerId, event);
  if (pointers.size === 1) moved = 0;
});
for (const name of ["pointerup", "pointercancel"]) {
  window.addEventListener(name, (event) => {
    pointers.delete(event.pointerId);
    graph.classList.remove("moving");
  });
}
window.addEventListener("pointermove", (event) => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const other = [...pointers.values()].find((each) => each.pointerId !== event.pointerId);
  const reach = (each) => Math.hypot(each.clientX - other.clientX, each.clientY - other.clientY);
  if (other) {
    const middle = at((event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    zoom(Math.max(1, reach(last)) / Math.max(1, reach(event)), middle.x, middle.y);
  }
  const share = (other ? 0.5 : 1) / scale();
  move((last.clientX - event.clientX) * share, (last.clientY - event.clientY) * share);
  moved += Math.hypot(last.clientX - event.clientX, last.clientY - event.clientY);
  pointers.set(event.pointerId, event);
  graph.classList.add("moving");
});
graph.addEventListener("click", (event) => { if (moved > 5) event.stopPropagation(); }, true);
function middle(factor) { zoom(factor, view.x + view.width / 2, view.y + view.height / 2); }
byId("fit").addEventListener("click", fit);
byId("closer").addEventListener("click", () => middle(1 / 1.4));
byId("farther").addEventListener("click", () => middle(1.4));
byId("open").addEventListener("click", () => { closed.clear(); redraw(); });
byId("close").addEventListener("click", () => {
  for (const loop of loops.values()) if (allUnits(loop).length) closed.add(loop.key);
  redraw();
});

// What is found is marked, its loops open, and the drawing moves there; Enter goes to the next one.
const search = { names: [], number: 0 };
function find(word) {
  search.names = word === "" ? [] : [...units.keys(), ...channels.keys()].filter((name, k, all) =>
    name.includes(word) && all.indexOf(name) === k);
  search.number = 0;
  byId("found").textContent = word === "" ? "" : `${search.names.length} found`;
  choose(search.names, 0);
  goTo();
}
function goTo() {
  const name = search.names[search.number];
  if (name === undefined) return;
  const unit = units.has(name) ? name : channels.get(name).from;
  if (nest(units.get(unit).loop).some((loop) => closed.delete(loop.key))) {
    for (const loop of nest(units.get(unit).loop)) closed.delete(loop.key);
    redraw();
  }
  pan(layout.boxes.get(unit));
  byId("found").textContent = `${search.number + 1} of ${search.names.length}`;
}
byId("find").addEventListener("input", (event) => find(event.target.value.trim()));
byId("find").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !search.names.length) return;
  search.number = (search.number + (event.shiftKey ? search.names.length - 1 : 1)) % search.names.length;
  goTo();
});

const table = byId("loops");
const columns = ["loop", "entries", "iterations", "II", "min II", "lost", "LUT4", "limited by"];
table.innerHTML = "<thead><tr></tr></thead><tbody></tbody>";
for (const column of columns) table.tHead.rows[0].append(Object.assign(document.createElement("th"), { textContent: column }));
for (const loop of loops.values()) {
  const row = table.tBodies[0].insertRow();
  const cells = [`${"\u00a0".repeat(2 * (nest(loop.key).length - 1))}${nameOf(loop)}`,
    loop.entries ?? "-", loop.iterations ?? "-", number(loop.ii), number(loop.min_ii),
    loop.lost_cycles === null ? "-" : Math.round(loop.lost_cycles),
    Math.round(sum(allUnits(loop).map((unit) => unit.luts))), loop.remark];
  for (const cell of cells) row.insertCell().textContent = cell;
  row.addEventListener("click", () => focusLoop(loop));
}
function focusLoop(loop) {
  if (nest(loop.key).filter((each) => closed.delete(each.key)).length) redraw(loop.key);
  choose(unitsOf(loop.line), loop.line);
  const frame = layout.frames.find((each) => each.key === loop.key);
  if (!frame) return;
  view = { x: frame.x - 30, y: frame.y - 30, width: frame.width + 60, height: frame.height + 60 };
  show();
}

let engine;
startEngine().then((started) => {
  engine = started;
  redraw();
  document.body.dataset.ready = "yes";
}).catch((error) => {
  byId("detail").textContent = `The drawing could not be laid out: ${error.message}`;
  document.body.dataset.ready = "no";
});
