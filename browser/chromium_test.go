package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/go-fonts/liberation/liberationmonobold"
	"github.com/go-fonts/liberation/liberationmonoregular"
	"github.com/go-fonts/liberation/liberationsansbold"
	"github.com/go-fonts/liberation/liberationsansregular"
	"github.com/stretchr/testify/require"
)

// patience is the time limit of a test.
const patience = 5 * time.Minute

// browser is started by the first test that needs it and ended by TestMain.
var browser struct {
	sync.Once
	ctx    context.Context
	cancel func()
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.cancel != nil {
		browser.cancel()
	}
	os.Exit(code)
}

// program finds Chromium.
func program() (string, error) {
	if path := os.Getenv("ERRGEN_CHROMIUM"); path != "" {
		return exec.LookPath(path)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no chromium, chromium-browser or google-chrome on the path; ERRGEN_CHROMIUM may name one")
}

// tab opens an empty tab, and skips the test if there is no browser.
func tab(t *testing.T) context.Context {
	t.Helper()
	path, err := program()
	if err != nil {
		if os.Getenv("ERRGEN_BROWSER") == "required" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	browser.Do(func() { browser.ctx, browser.cancel, browser.err = launch(path) })
	require.NoError(t, browser.err)
	ctx, cancel := chromedp.NewContext(browser.ctx)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	require.NoError(t, chromedp.Do(ctx))
	return ctx
}

func launch(path string) (context.Context, func(), error) {
	dir, err := os.MkdirTemp("", "errgen-browser-")
	if err != nil {
		return nil, nil, err
	}
	fonts, err := writeFonts(dir)
	if err != nil {
		return nil, nil, err
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path),
		chromedp.WSURLReadTimeout(patience),
		chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.Env("FONTCONFIG_FILE="+fonts, "TZ=America/New_York", "LANG=C.UTF-8"),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"),
	)
	ctx, cancel := chromedp.NewContext(allocator)
	end := func() {
		cancel()
		stop()
		_ = os.RemoveAll(dir)
	}
	if err := chromedp.Do(ctx); err != nil {
		end()
		return nil, nil, fmt.Errorf("start %s: %w", path, err)
	}
	return ctx, end, nil
}

// writeFonts installs fonts for the browser, so that pages look the same everywhere.
func writeFonts(dir string) (config string, err error) {
	for name, font := range map[string][]byte{
		"sans.ttf": liberationsansregular.TTF, "sans-bold.ttf": liberationsansbold.TTF,
		"mono.ttf": liberationmonoregular.TTF, "mono-bold.ttf": liberationmonobold.TTF,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), font, 0o600); err != nil {
			return "", err
		}
	}
	config = filepath.Join(dir, "fonts.conf")
	text := fmt.Sprintf(`<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir><cachedir>%s/cache</cachedir>
<match target="pattern"><edit name="family" mode="append" binding="weak"><string>Liberation Sans</string></edit></match>
<match target="pattern"><test name="family"><string>system-ui</string></test><edit name="family" mode="assign" binding="strong"><string>Liberation Sans</string></edit></match>
<match target="pattern"><test name="family"><string>ui-monospace</string></test><edit name="family" mode="assign" binding="strong"><string>Liberation Mono</string></edit></match>
<match target="pattern"><test name="family"><string>monospace</string></test><edit name="family" mode="assign" binding="strong"><string>Liberation Mono</string></edit></match></fontconfig>`, dir, dir)
	return config, os.WriteFile(config, []byte(text), 0o600)
}
