// Bad input in a real worker: the real tool's words at the right place, the last good render marked stale, nothing lost.
import { APP, CHART, add, commitAndPush, equal, id, open, show, text, type } from "./page.mjs";

const DEPLOYMENT = `${CHART}/templates/deployment.yaml`;
const GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n";

async function start(page, base) {
  await open(page, base);
  await add(page, `${CHART}/templates/good.yaml`);
  await type(page, GOOD);
  await id(page, "manifest-ConfigMap-good").waitFor();
}

// Replaces the whole text by pasting.
async function paste(page, wanted) {
  await page.locator("tide-editor .cm-content").click();
  await page.keyboard.press("Control+a");
  await page.locator("tide-editor .cm-content").evaluate((node, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    node.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, wanted);
  await equal(await text(page), wanted, "pasted text");
}

const problem = (page, words) => id(page, "problem").filter({ hasText: words }).first().waitFor({ timeout: 30_000 });

const broken = (name, source, words) => [
  name,
  async ({ page, base, shot }) => {
    await start(page, base);
    await add(page, DEPLOYMENT);
    await paste(page, source);
    await problem(page, words);
    await id(page, "stale").waitFor();
    await id(page, "manifest-ConfigMap-good").waitFor();
    await equal(await text(page), source, "the typed text");
    await shot(name.replace(/\W+/g, "-"));
    // The next good text heals it.
    await paste(page, GOOD.replace("good", "healed"));
    await id(page, "manifest-ConfigMap-healed").waitFor();
    await equal(await id(page, "stale").count(), 0, "stale marks");
  },
];

export const tests = Object.fromEntries([
  broken("template syntax", "a: {{ .Values.x", "unclosed action"),
  broken("unknown function", "a: {{ nope }}\n", 'function "nope" not defined'),
  broken("nil pointer", "a: {{ .Values.image.tag }}\n", "nil pointer evaluating interface {}.tag"),
  broken("malformed YAML", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n bad: [\n", "error converting YAML to JSON: yaml: line"),
  broken("a template that includes itself", '{{ define "loop" }}{{ include "loop" . }}{{ end }}{{ include "loop" . }}', "rendering template has a nested reference name: loop"),
  broken("a template that calls itself", '{{ define "loop" }}{{ template "loop" . }}{{ end }}{{ template "loop" . }}', "exceeded maximum template depth"),
  broken("fifty megabytes of output", "{{ range until 1000000 }}{{ range until 1000 }}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx{{ end }}{{ end }}", ""),
]);

tests["an alias bomb in a values file"] = async ({ page, base, shot }) => {
  await start(page, base);
  await show(page, `${CHART}/values-prod.yaml`);
  const names = "abcdefghi";
  const bomb = [...names].map((n, i) => `${n}: &${n} [${Array(9).fill(i ? `*${names[i - 1]}` : "lol").join(", ")}]`).join("\n") + "\n";
  await paste(page, bomb);
  await problem(page, "document contains excessive aliasing");
  await id(page, "stale").waitFor();
  await shot("alias-bomb");
};

tests["a chart without Chart.yaml"] = async ({ page, base }) => {
  await start(page, base);
  await show(page, `${CHART}/Chart.yaml`);
  page.on("dialog", (d) => d.accept());
  await id(page, "delete-file").click();
  await id(page, `file-${CHART}/Chart.yaml`).and(page.locator('[data-mark=""]')).waitFor({ state: "detached" });
  await problem(page, "Chart.yaml");
};

tests["a killed worker loses nothing"] = async ({ page, base }) => {
  await start(page, base);
  const typed = GOOD.replace("good", "survivor");
  await paste(page, typed);
  await page.evaluate(() => window.__tidepool.killWorker());
  await page.keyboard.press("Control+End");
  await page.keyboard.type("data: {a: b}");
  await id(page, "manifest-ConfigMap-survivor").waitFor({ timeout: 20_000 });
  await equal(await text(page), `${typed}data: {a: b}`, "the typed text");
  // The work is there after a reload too.
  await page.waitForTimeout(500);
  await page.reload();
  await page.locator('[data-testid="app"][data-boot="ready"]').waitFor({ timeout: 60_000 });
  await show(page, `${CHART}/templates/good.yaml`);
  await equal(await text(page), `${typed}data: {a: b}`, "the text after a reload");
};

tests["a missing value file and an unknown path"] = async ({ page, base, shot }) => {
  await open(page, base);
  await id(page, "fill-in").click();
  await id(page, `file-${APP}`).waitFor();
  await show(page, APP);
  const good = await text(page);
  await paste(page, good.replace("- values-prod.yaml", "- charts/web/values-prod.yaml"));
  await problem(page, "charts/web/charts/web/values-prod.yaml: no such file or directory");
  await id(page, "problem").filter({ hasText: "start at the chart's folder" }).waitFor();
  await page.locator("tide-editor .cm-lintRange-error", { hasText: "charts/web/values-prod.yaml" }).waitFor();
  await id(page, "stale").waitFor();
  await shot("missing-value-file");
  await paste(page, good);
  await page.locator('[data-testid="problem"]').waitFor({ state: "detached" });
  // Applied, a path that is not there is Argo CD's ComparisonError.
  await paste(page, good.replace("path: charts/web", "path: charts/nope"));
  await commitAndPush(page, "chart");
  await id(page, "apply").click();
  await id(page, "until-idle").click();
  await id(page, "right-app").click();
  await id(page, "condition").filter({ hasText: "charts/nope: app path does not exist" }).waitFor();
  await shot("unknown-path");
};
