// The lesson from start to end by typing and clicking, in both languages, with a screenshot of each state.
import { APP, CHART, add, commitAndPush, equal, id, met, open, show, solution, type } from "./page.mjs";

async function lesson({ page, base, shot }, lang) {
  const label = (name) => shot(`${lang}-${name}`);
  await open(page, base, `lang=${lang}&theme=${lang === "ko" ? "dark" : "light"}`);
  await equal(await page.evaluate(() => document.documentElement.lang), lang, "the page's language");
  await label("1-start");

  // Step 1: two manifests and the Application.
  await add(page, `${CHART}/templates/configmap.yaml`);
  await type(page, solution("chart/repo/charts/web/templates/configmap.yaml"));
  await add(page, `${CHART}/templates/deployment.yaml`);
  await type(page, solution("chart/repo/charts/web/templates/deployment.yaml"));
  await id(page, "right-rendered").click();
  await id(page, "manifest-Deployment-src-helm-web").waitFor();
  await label("2-rendered");
  await commitAndPush(page, "chart web");
  await met(page, "chart-pushed");
  await met(page, "templates-pushed");
  await add(page, APP);
  await type(page, solution("chart/app-src-helm.yaml"));
  await id(page, "apply").click();
  await met(page, "app-applied");
  await label("3-applied");
  await id(page, "run-until").click();
  for (const goal of ["synced", "two-pods", "greeting-from-file"]) await met(page, goal);
  await id(page, "right-app").click();
  await equal((await id(page, "app-sync").innerText()).trim(), "Synced", "sync status");
  await label("4-two-pods");

  // Who set the replicas? The values file, over the chart's default.
  await id(page, "right-rendered").click();
  await id(page, "manifest-Deployment-src-helm-web").locator("[data-line]", { hasText: "replicas:" }).click();
  await id(page, "claims").waitFor();
  await label("5-who");
  await id(page, "next-step").click();

  // Step 2: two more sources, in the Application.
  await show(page, APP);
  await type(page, solution("values/app-src-helm.yaml"));
  await id(page, "apply").click();
  await met(page, "sources-added");
  await id(page, "run-until").click();
  for (const goal of ["synced-again", "three-pods", "greeting-from-parameter"]) await met(page, goal);
  await id(page, "right-rendered").click();
  await id(page, "manifest-Deployment-src-helm-web").locator("[data-line]", { hasText: "replicas:" }).click();
  await page.locator('[data-testid="claims"] [data-won="true"]').first().waitFor();
  await label("6-three-pods");
  await id(page, "bottom-tree").click();
  await label("7-tree");
  await add(page, "/root/capa-src/precedence.json");
  await type(page, solution("values/precedence.json"));
  await met(page, "precedence");
  await page.locator('[data-testid="lesson"][data-done="true"]').waitFor();
  await label("8-done");
}

export const tests = {
  "the lesson in English": (t) => lesson(t, "en"),
  "the lesson in Korean": (t) => lesson(t, "ko"),
  "the lesson fills its files in": async ({ page, base }) => {
    await open(page, base);
    await id(page, "fill-in").click();
    await id(page, `file-${CHART}/templates/deployment.yaml`).waitFor();
    await commitAndPush(page, "filled in");
    await show(page, APP);
    await id(page, "apply").click();
    await id(page, "run-until").click();
    await id(page, "step-done").waitFor();
  },
  "a host that sets no headers": async ({ page, bare }) => {
    await open(page, bare);
    if (await page.evaluate(() => crossOriginIsolated)) throw new Error("the page is isolated, so this shows nothing");
    await id(page, "fill-in").click();
    await id(page, `file-${APP}`).waitFor();
    await show(page, `${CHART}/values-prod.yaml`);
    await type(page, "replicaCount: 7\ngreeting: from-values-file\n");
    await id(page, "right-rendered").click();
    await id(page, "manifest-Deployment-src-helm-web").locator("text=replicas: 7").waitFor();
  },
  "narrow, light and dark": async ({ page, base, shot }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const [lang, theme] of [["ko", "light"], ["en", "dark"]]) {
      await page.goto(`${base}?lesson=lab-values&lang=${lang}&theme=${theme}`);
      await page.locator('[data-testid="app"][data-boot="ready"]').waitFor({ timeout: 60_000 });
      for (const pane of ["lesson", "editor", "right", "bottom"]) {
        await id(page, `nav-${pane}`).click();
        await shot(`narrow-${lang}-${theme}-${pane}`);
      }
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (over > 0) throw new Error(`the page is ${over} px wider than the screen`);
    }
  },
};
