// What the report measured, by name; see page_data.py.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const units = new Map(data.units.map((unit) => [unit.name, unit]));
const channels = new Map(data.channels.map((channel) => [channel.name, channel]));
const loops = new Map(data.loops.map((loop) => [loop.key, loop]));
const critical = new Set(data.critical);
const onPath = new Set(data.path);
const states = data.history.states;
const replayed = Math.max(0, ...Object.values(states).map((text) => text.length));

for (const loop of loops.values()) {
  if (!loops.has(loop.around)) loop.around = null;
  loop.units = [];
}
for (const unit of units.values()) loops.get(unit.loop)?.units.push(unit);

// A loop and those around it, the outermost first.
function nest(key) {
  const found = [];
  for (let loop = loops.get(key); loop; loop = loops.get(loop.around)) found.unshift(loop);
  return found;
}
function inside(key) { return [...loops.values()].filter((loop) => loop.around === key); }
function allUnits(loop) { return [...loop.units, ...inside(loop.key).flatMap(allUnits)]; }
const cyclesOf = (loop) => loop.iterations * (loop.ii ?? 0);
const longest = [...loops.values()].sort((a, b) => nest(b.key).length - nest(a.key).length ||
  cyclesOf(b) - cyclesOf(a))[0];

function nameOf(loop) {
  if (!loop.line) return loop.key;
  const alike = [...loops.values()].filter((other) => other.line === loop.line);
  return alike.length > 1 ? `line ${loop.key}` : `line ${loop.line}`;
}
const number = (value) => (value === null ? "-" : value.toFixed(2));
const percent = (share) => `${(100 * share).toFixed(1)} %`;
const sum = (values) => values.reduce((total, value) => total + (value ?? 0), 0);
