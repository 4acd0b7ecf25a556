// Mode shapes: small motions about the place in which the modes were found, over one period.

/** Largest displacement, as a fraction of the size of the moving parts. */
const SHOWN = 0.09;

class Modes {
  constructor(data) {
    this.shapes = data.shapes;
    this.size = data.size;
    this.current = 0;
    this.amplitude = 1;
    this.scales = this.shapes.map(() => 0);
    /** Rotations of the frames of flexible bodies. */
    this.tilts = new Map();
  }

  /** Finds the scales by which the largest displacement is the same in all modes; `places` gives those that are drawn. */
  scale(motion, places) {
    const small = 1e-6 * this.size;
    const at = (mode, amplitude, time) => {
      [this.current, this.amplitude, this.scales[mode]] = [mode, amplitude, 1];
      motion.set(time);
      return places();
    };
    this.shapes.forEach((shape, mode) => {
      const sizes = [...shape.bodies.flat(), ...shape.elastic.flat(2)].map(Math.abs);
      const amplitude = small / (Math.max(...sizes) || 1);
      const still = at(mode, 0, 0);
      const reach = [0, 0.25].map((time) => at(mode, amplitude, time).map((place, k) => norm(subtract(place, still[k]))));
      const largest = Math.max(...reach[0].map((x, k) => Math.hypot(x, reach[1][k])), 1e-300);
      this.scales[mode] = (SHOWN * this.size * amplitude) / largest;
    });
    [this.current, this.amplitude] = [0, 1];
    motion.set(0);
  }

  /** Displaces the bodies of `motion` at a part `time` of the period. */
  apply(motion, time) {
    const shape = this.shapes[this.current];
    const a = this.scales[this.current] * this.amplitude;
    const [c, s] = [a * Math.cos(2 * Math.PI * time), a * Math.sin(2 * Math.PI * time)];
    shape.bodies.forEach((six, body) => {
      const part = (k) => c * six[k] - s * six[k + 6];
      motion.positions[body] = add(motion.positions[body], [part(0), part(1), part(2)]);
      const turned = [part(3), part(4), part(5)];
      const angle = norm(turned);
      // The frame of a flexible body can turn far while its nodes stay: displacements are added, and nothing is turned.
      if (motion.flexible.some((one) => one.b === body)) this.tilts.set(body, turned);
      else if (angle > 0) motion.rotations[body] = product(about(scale(turned, 1 / angle), angle), motion.rotations[body]);
    });
    motion.amplitudes = motion.amplitudes.map((values, body) => values.map((value, k) => value + c * shape.elastic[body][k][0] - s * shape.elastic[body][k][1]));
  }

  label(mode) {
    const { f, z } = this.shapes[mode];
    return `${short(f, 5)} Hz${z ? `, damping ratio ${short(z, 3)}` : ""}`;
  }

  /** The list of the modes; `chosen` is called after a choice. */
  list(host, chosen) {
    const head = document.createElement("h2");
    head.textContent = "Modes";
    host.append(head);
    this.rows = this.shapes.map((shape, mode) => {
      const row = document.createElement("button");
      row.className = "row";
      const name = document.createElement("span");
      name.textContent = `${mode + 1}: ${this.label(mode)}`;
      const detail = document.createElement("small");
      detail.textContent = shape.d;
      row.append(name, detail);
      row.addEventListener("click", () => this.choose(mode, chosen));
      host.append(row);
      return row;
    });
    this.choose(0, chosen);
  }

  choose(mode, chosen) {
    this.current = Math.min(Math.max(mode, 0), this.shapes.length - 1);
    this.rows.forEach((row, k) => row.classList.toggle("selected", k === this.current));
    chosen();
  }
}
