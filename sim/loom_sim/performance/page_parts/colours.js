// Colours by what is asked for, and the legend that explains them.
const TITLES = {
  waiting: "share of cycles in which a token waits", busy: "share of cycles in which a token moves",
  luts: "LUT4 of a unit or closed loop", delay: "slowest path of a unit between two registers [ns]",
};
function heat(share, from, to) {
  return `color-mix(in oklab, var(${from}), var(${to}) ${(100 * Math.min(1, share)).toFixed(1)}%)`;
}
function costOf(name, what) {
  const loop = loops.get(name.slice(5));
  if (units.has(name)) return units.get(name)[what] ?? 0;
  return what === "luts" ? sum(allUnits(loop).map((unit) => unit.luts))
    : Math.max(0, ...allUnits(loop).map((unit) => unit.delay ?? 0));
}
function paint() {
  const what = byId("colour").value;
  const ofUnits = what === "luts" || what === "delay";
  const most = ofUnits ? Math.max(...[...boxes.keys()].map((name) => costOf(name, what)), 0.01) : 1;
  byId("legend").classList.toggle("by-cost", ofUnits);
  for (const way of ways) {
    const share = Math.max(...way.channels.map((channel) => channel[what] ?? 0));
    way.node.style.stroke = ofUnits ? "" : heat(share, "--cold", "--hot");
  }
  for (const [name, group] of boxes) {
    group.firstChild.style.fill = ofUnits ? heat(costOf(name, what) / most, "--box", "--full") : "";
  }
  byId("scale").textContent = TITLES[what];
  byId("most").textContent = ofUnits ? most.toFixed(what === "luts" ? 0 : 1) : "100 %";
  for (const kind of document.querySelectorAll("#legend .kinds")) kind.hidden = ofUnits;
}
byId("colour").addEventListener("change", paint);
byId("legend").open = matchMedia("(min-width: 901px)").matches;
for (const mark of ["critical", "longest"]) {
  const box = byId(`mark-${mark}`);
  const show = () => graph.classList.toggle(`mark-${mark}`, box.checked);
  box.addEventListener("change", show);
  if (!(mark === "critical" ? critical : onPath).size) {
    box.checked = false;
    box.disabled = true;
  }
  show();
}
