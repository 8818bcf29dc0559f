// The iterations of each loop over the cycles of the first activation.
const timeline = byId("timeline");
const ROW = 20, NAMES = 84, AXIS = 18, THIN = 2;
const end = data.history.cycles;
let span = { from: 0, to: Math.max(1, end) };

// From a test after which the loop goes on to its next test.
function iterations({ cycles, goes }) {
  const found = [];
  cycles.forEach((from, k) => {
    if (goes[k]) found.push({ from, to: k + 1 < cycles.length ? cycles[k + 1] : end + 1, number: k });
  });
  return found;
}
const rows = data.history.tests.filter((test) => test.cycles.length).map((test) => {
  const loop = loops.get(test.loop);
  const least = loop.min_ii === null ? Infinity : Math.ceil(loop.min_ii - 0.005);
  return { loop, test, all: iterations(test).map((each) => ({ ...each, late: each.to - each.from > least })) };
});

function drawTimeline() {
  const width = Math.max(200, timeline.clientWidth - NAMES - 8);
  const at = (cycle) => NAMES + width * (cycle - span.from) / (span.to - span.from);
  timeline.setAttribute("height", AXIS + ROW * rows.length);
  timeline.replaceChildren();
  const step = tick((span.to - span.from) / (width / 70));
  for (let cycle = Math.ceil(span.from / step) * step; cycle <= span.to; cycle += step) {
    make("line", { x1: at(cycle), x2: at(cycle), y1: AXIS, y2: AXIS + ROW * rows.length, class: "axis" }, timeline);
    write(timeline, cycle, at(cycle), 12, "tick");
  }
  rows.forEach(({ loop, all }, row) => {
    const y = AXIS + ROW * row;
    const depth = nest(loop.key).length - 1;
    const name = make("g", { class: "name" }, timeline);
    write(name, nameOf(loop), 4 + 7 * depth, y + 14, "");
    name.addEventListener("click", () => focusLoop(loop));
    for (const bar of bars(all, at)) {
      const from = Math.max(NAMES, bar.left), to = Math.min(NAMES + width, bar.right);
      const node = make("rect", { x: from, y: y + 3, width: Math.max(0.7, to - from - 0.7),
        height: ROW - 6, class: `${bar.late ? "late" : "fine"} ${bar.number % 2 ? "odd" : ""}` }, timeline);
      node.addEventListener("mouseenter", () => tell(`loop at ${nameOf(loop)}\n${bar.text}`));
    }
  });
  if (replay.cycle > 0) {
    make("line", { x1: at(replay.cycle), x2: at(replay.cycle), y1: 0, y2: AXIS + ROW * rows.length, class: "now" }, timeline);
  }
}
function tick(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least);
}
// Iterations in view; those too thin to be seen stand together in one bar, late if one of them is.
function bars(all, at) {
  const found = [];
  let thin = null;
  for (const each of all) {
    if (each.to <= span.from || each.from >= span.to) continue;
    const left = at(each.from), right = at(each.to);
    if (right - left >= THIN) {
      thin = null;
      found.push({ left, right, late: each.late, number: each.number,
        text: `cycles ${each.from} to ${each.to}: II ${each.to - each.from}` });
    } else if (thin && left - thin.left < 4 * THIN) {
      thin.right = right;
      thin.late ||= each.late;
    } else {
      thin = { left, right, late: each.late, number: found.length, text: `from cycle ${each.from}: several iterations` };
      found.push(thin);
    }
  }
  return found;
}

function cycleAt(event) {
  const box = timeline.getBoundingClientRect();
  const share = (event.clientX - box.left - NAMES) / (box.width - NAMES - 8);
  return span.from + share * (span.to - span.from);
}
timeline.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.shiftKey && event.deltaY && timeline.parentNode.scrollHeight > timeline.parentNode.clientHeight) return;
  event.preventDefault();
  const at = cycleAt(event), factor = event.deltaY > 0 ? 1.25 : 0.8;
  const from = Math.max(0, at - (at - span.from) * factor);
  span = { from, to: Math.max(from + 8, Math.min(end + 1, at + (span.to - at) * factor)) };
  drawTimeline();
}, { passive: false });
timeline.addEventListener("click", (event) => {
  if (event.target.closest(".name")) return;
  setCycle(Math.round(cycleAt(event)));
});
new ResizeObserver(drawTimeline).observe(timeline.parentNode);
