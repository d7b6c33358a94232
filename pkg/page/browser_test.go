//go:build pages

package page_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/page"
	"h5perf/pkg/test/figurestest"
)

var (
	screenshots = flag.String("screenshots", "", "write pictures of the page to this directory")
	document    = flag.String("document", "", "make the page of this document, or of those in this directory; the "+
		"default is one that is made up")
)

// looks holds the window widths and the themes with which a page is tested.
var looks = []struct {
	theme string
	width int
}{{"light", 1280}, {"light", 390}, {"dark", 1280}, {"dark", 390}, {"light", 360}, {"light", 700}, {"light", 1800}}

// frame shows the page in a frame of any width, even if no window can have it. Its script writes what it measures as
// JSON.
const frame = `<!DOCTYPE html><meta charset="utf-8"><body style="margin:0">
<iframe src="/page" width="%d" height="%d" style="border:0;display:block"></iframe><pre id="seen"></pre>
<script>
document.querySelector("iframe").onload = e => {
	const d = e.target.contentDocument, seen = {Problems: []};
	const unfolded = d.documentElement.scrollHeight;
	if (%t) d.querySelectorAll("details").forEach(x => x.open = true);
	seen.Width = d.documentElement.scrollWidth;
	seen.Height = %[3]t ? d.documentElement.scrollHeight : unfolded;
	seen.Background = e.target.contentWindow.getComputedStyle(d.body).backgroundColor;
	seen.Pictures = d.querySelectorAll(".panels svg").length;
	const say = (t, what) =>
		seen.Problems.push(t.closest("svg").getAttribute("aria-label") + ": " + t.textContent + " " + what);
	d.querySelectorAll("svg").forEach(s => {
		if (!s.getClientRects().length) return; // a picture for other widths
		const outer = s.getBoundingClientRect(), texts = [...s.querySelectorAll("text")];
		texts.forEach((t, i) => {
			const a = t.getBoundingClientRect();
			if (a.height < 9) say(t, "is " + a.height + " px high");
			if (a.left < outer.left - 1 || a.right > outer.right + 1 ||
				a.top < outer.top - 2 || a.bottom > outer.bottom + 2)
				say(t, "is cut");
			texts.slice(i + 1).forEach(o => {
				const b = o.getBoundingClientRect();
				if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
					say(t, "covers " + o.textContent);
			});
		});
	});
	document.getElementById("seen").textContent = JSON.stringify(seen);
};
</script>`

// seen is what the script of a frame measures.
type seen struct {
	Width, Height, Pictures int
	Background              string
	Problems                []string
}

// chromium runs the browser without a window, and returns its standard output.
func chromium(t *testing.T, theme string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("%v: .ci/setup pages installs what this test needs", err)
	}
	args = append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--virtual-time-budget=10000", "--user-data-dir=" + t.TempDir(),
		"--blink-settings=preferredColorScheme=" + map[string]string{"dark": "0", "light": "1"}[theme],
	}, args...)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, stderr.String())
	}
	return string(out)
}

// site serves a page, and frames that show it. It returns the URL of the server.
func site(t *testing.T, content string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, content)
	})
	mux.HandleFunc("/frame/{width}/{height}/{unfold}", func(w http.ResponseWriter, r *http.Request) {
		var width, height int
		var unfold bool
		if _, err := fmt.Sscan(r.PathValue("width")+" "+r.PathValue("height")+" "+r.PathValue("unfold"), &width,
			&height, &unfold); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = fmt.Fprintf(w, frame, width, height, unfold)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func look(t *testing.T, url, theme string, width int, unfold bool) (s seen) {
	t.Helper()
	dom := chromium(t, theme, "--dump-dom", fmt.Sprintf("%s/frame/%d/900/%t", url, width, unfold))
	_, after, _ := strings.Cut(dom, `<pre id="seen">`)
	text, _, _ := strings.Cut(after, "</pre>")
	if err := json.Unmarshal([]byte(html.UnescapeString(text)), &s); err != nil {
		t.Fatalf("%v in\n%s", err, dom)
	}
	return s
}

// runOfManySizes returns a run of 17 transfer sizes with very different throughputs.
func runOfManySizes() figures.Run {
	r := figurestest.Sweep()
	r.RunID, r.Machine.Host, r.Cases = "wide", "a-host-with-a-long-name-of-some.cluster.example", nil
	for e := range 17 {
		size := uint64(1) << (10 + e)
		r.Cases = append(r.Cases, figurestest.Case(512, size, "posix", float64(size), 8),
			figurestest.Case(512, size, "mpiio", float64(size)/3, 3))
	}
	return r
}

func TestThePageFitsAndNoLabelCoversAnother(t *testing.T) {
	runs := []figures.Run{figurestest.Sweep(), figurestest.Serial(), figurestest.Failed(), runOfManySizes()}
	runs[0].Command = append(runs[0].Command, "--json", "/a/very/"+strings.Repeat("long", 100))
	both, compared := inTurns(figurestest.Sweep)
	compared.Differences[0].Name += " of a workload with a name that is " + strings.Repeat("very ", 20) + "long"
	runs = append(runs, figurestest.Dumped(figurestest.Workload(), 64, 2), figurestest.WorkloadFailed())
	url := site(t, writtenContent(t, page.Content{
		Runs: append(runs, both...), Comparisons: []page.Comparison{compared},
	}))
	backgrounds := map[string]string{}
	for _, l := range looks {
		s := look(t, url, l.theme, l.width, true)
		if s.Width > l.width {
			t.Errorf("%s, %d px: the page is %d px wide", l.theme, l.width, s.Width)
		}
		for _, p := range s.Problems {
			t.Errorf("%s, %d px: %s", l.theme, l.width, p)
		}
		if s.Pictures == 0 {
			t.Errorf("%s, %d px: no pictures", l.theme, l.width)
		}
		backgrounds[l.theme] = s.Background
	}
	if backgrounds["light"] != "rgb(255, 255, 255)" || backgrounds["dark"] == backgrounds["light"] ||
		backgrounds["dark"] == "" {
		t.Errorf("backgrounds %v: the page does not follow the theme", backgrounds)
	}
}

func TestThePageFitsWithRunsOverTime(t *testing.T) {
	runs := twoFileSystems()
	for i := range runs[30:] {
		runs[30+i].Target.Options = strings.Repeat("a-long-option,", 2*i) // this setting differs each night
	}
	pinned := history.PinnedReference{
		Identity: runs[0].Identity, Note: strings.Repeat("long ", 20), Runs: []string{runs[0].RunID},
	}
	url := site(t, writtenContent(t, contentOverTime(t, runs, pinned)))
	for _, l := range looks[1:3] { // narrow and light, wide and dark
		s := look(t, url, l.theme, l.width, true)
		if s.Width > l.width || s.Pictures == 0 {
			t.Errorf("%s, %d px: %d pictures on a page of %d px", l.theme, l.width, s.Pictures, s.Width)
		}
		for _, p := range s.Problems {
			t.Errorf("%s, %d px: %s", l.theme, l.width, p)
		}
	}
}

// axe is a library that looks for what people who see or hear badly cannot use. Its results are written as JSON.
const axe = `<script src="/axe.js"></script><pre id="seen"></pre><script>
document.querySelectorAll("details").forEach(x => x.open = true);
axe.run({exclude: ["#seen"]}, {resultTypes: ["violations"]}).then(r => {
	document.getElementById("seen").textContent = JSON.stringify(r.violations.flatMap(v =>
		v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + (n.any[0] || n.all[0] || n.none[0] || {}).message)));
});
</script></body>`

func TestThePageFitsPeopleWhoSeeBadly(t *testing.T) {
	script, err := os.ReadFile(os.Getenv("AXE_CORE"))
	if err != nil {
		t.Fatalf("%v: make test-pages fetches the library, and sets AXE_CORE to its path", err)
	}
	runs, compared := inTurns(figurestest.Sweep)
	for name, c := range map[string]page.Content{
		"runs":  {Runs: append(runs, figurestest.Failed()), Comparisons: []page.Comparison{compared}},
		"a run": {Runs: []figures.Run{figurestest.Sweep()}}, "runs over time": contentOverTime(t, twoFileSystems()),
	} {
		content := strings.Replace(writtenContent(t, c), `http-equiv="Content-Security-Policy"`, `name="none"`, 1)
		mux := http.NewServeMux()
		mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, strings.Replace(content, "</body>", axe, 1))
		})
		mux.HandleFunc("/axe.js", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(script) })
		server := httptest.NewServer(mux)
		for _, theme := range []string{"light", "dark"} {
			dom := chromium(t, theme, "--dump-dom", server.URL)
			_, after, _ := strings.Cut(dom, `<pre id="seen">`)
			text, _, _ := strings.Cut(after, "</pre>")
			var problems []string
			if err := json.Unmarshal([]byte(html.UnescapeString(text)), &problems); err != nil {
				t.Fatalf("%s, %s: %v in %q", name, theme, err, text)
			}
			for _, p := range problems {
				t.Errorf("%s, %s: %s", name, theme, p)
			}
		}
		server.Close()
	}
}

func TestThePageFitsFourSheets(t *testing.T) {
	url := site(t, written(t, figurestest.Sweep())) + "/page"
	path := filepath.Join(t.TempDir(), "page.pdf")
	chromium(t, "light", "--print-to-pdf="+path, url)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(text, -1)); n < 1 || n > 4 {
		t.Errorf("%d sheets, want at most 4", n)
	}
}

func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("no directory is given by -screenshots")
	}
	runs := []figures.Run{figurestest.Sweep()}
	if *document != "" {
		records, _, err := history.Load(*document)
		if err != nil {
			t.Fatal(err)
		}
		runs = nil
		for _, r := range records {
			runs = append(runs, figures.Run{Name: filepath.Base(r.Path), Document: r.Document})
		}
	}
	if err := os.MkdirAll(*screenshots, 0o755); err != nil {
		t.Fatal(err)
	}
	url := site(t, pageOverTime(t, runs))
	for _, l := range looks {
		height := look(t, url, l.theme, l.width, false).Height
		path, err := filepath.Abs(filepath.Join(*screenshots, fmt.Sprintf("%s-%d.png", l.theme, l.width)))
		if err != nil {
			t.Fatal(err)
		}
		chromium(t, l.theme, "--screenshot="+path, fmt.Sprintf("--window-size=%d,%d", max(500, l.width), height),
			fmt.Sprintf("%s/frame/%d/%d/false", url, l.width, height))
		t.Log(path)
	}
}
