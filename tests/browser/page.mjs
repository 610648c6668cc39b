// What a person does on the page, as functions: type into the editor, add a file, commit, wait for a goal.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const REPO = "/root/capa-src/repo";
export const CHART = `${REPO}/charts/web`;
export const APP = "/root/capa-src/app-src-helm.yaml";
export const solution = (path) => readFileSync(join(root, "lessons/lab-values/solution", path), "utf8");

export const id = (page, name) => page.locator(`[data-testid="${name}"]`);

export async function open(page, base, query = "lang=en&theme=light") {
  await page.goto(`${base}?lesson=lab-values&${query}`);
  await page.locator('[data-testid="app"][data-boot="ready"]').waitFor({ timeout: 60_000 });
  await page.locator("tide-editor .cm-content").waitFor();
}

// Opens a file of the tree.
export async function show(page, path) {
  await id(page, `file-${path}`).click();
  await page.locator(`[data-testid="editor"][data-path="${path}"]`).waitFor();
}

export async function add(page, path) {
  await id(page, "add-file").click();
  await id(page, "file-path").fill(path);
  await id(page, "file-path").press("Enter");
  await page.locator(`[data-testid="editor"][data-path="${path}"]`).waitFor();
}

export const text = (page) => page.evaluate(() => document.querySelector('[data-testid="editor-text"]').value);

// Replaces the whole text by typing it. The editor indents a new line as it thinks best, so a person adds or takes back.
export async function type(page, wanted, { delay = 0 } = {}) {
  await page.locator("tide-editor .cm-content").click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  for (const [i, line] of wanted.split("\n").entries()) {
    if (i === 0) {
      await page.keyboard.type(line, { delay });
      continue;
    }
    await page.keyboard.press("Enter");
    const given = /[^\n]*$/.exec(await text(page))[0].length;
    const indent = line.length - line.trimStart().length;
    for (let n = given; n > indent; n -= 2) await page.keyboard.press("Backspace");
    await page.keyboard.type(line.slice(Math.min(given, indent)), { delay });
  }
  const got = await text(page);
  if (got !== wanted) throw new Error(`typed text differs:\n${got}`);
}

export async function commitAndPush(page, message) {
  await id(page, "commit-message").fill(message);
  await id(page, "commit").click();
  await id(page, "push").click({ timeout: 10_000 });
}

export async function met(page, goal, timeout = 15_000) {
  await page.locator(`[data-testid="goal-${goal}"][data-met="true"]`).waitFor({ timeout });
}

export async function equal(got, want, what) {
  if (got !== want) throw new Error(`${what}: wanted ${JSON.stringify(want)}, got ${JSON.stringify(got)}`);
}

export const quantile = (list, q) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))];
