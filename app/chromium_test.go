package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"paraph/app/apptest/patience"
)

// chromium is a browser whose viewer opens files one by one.
type chromium struct {
	mu  sync.Mutex
	ctx context.Context
}

func newChromium(t *testing.T) *chromium {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(func() { stop(); stopAllocator() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("Chromium is needed to judge files: %v", err)
	}
	return &chromium{ctx: ctx}
}

// opens reports whether the viewer opens a file in time: the tab then shows the
// file's title or name instead of its address. A tab of a busy browser now and then
// stays empty for good, so that the file is asked for again in another one.
func (b *chromium) opens(t *testing.T, file []byte, within time.Duration) error {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/pdf")
		_, _ = w.Write(file) // the viewer may have gone away
	}))
	defer s.Close()
	address := strings.TrimPrefix(s.URL, "http://") + "/x.pdf"
	const tabs = 3
	var err error
	for range tabs {
		if err = b.shows(address, within/tabs); err == nil {
			return nil
		}
	}
	return fmt.Errorf("Chromium's viewer does not open it: %w", err)
}

// shows opens an address in a new tab and waits for its title. It doesn't wait for the
// page to be loaded, because the viewer does not always report that.
func (b *chromium) shows(address string, within time.Duration) error {
	tab, closeTab := chromedp.NewContext(b.ctx)
	defer closeTab()
	tab, stop := context.WithTimeout(tab, within)
	defer stop()
	err := chromedp.Do(tab, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.Navigate, page.NavigateParams{URL: "http://" + address})
		return err
	}))
	if err != nil {
		return err
	}
	for {
		all, err := chromedp.Targets(tab)
		if err != nil {
			return err
		}
		for _, i := range all {
			if i.Type == "page" && strings.HasSuffix(i.URL, address) && i.Title != "" && !strings.HasSuffix(i.Title, address) {
				return nil
			}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-tab.Done():
			return tab.Err()
		}
	}
}

// TestChromiumRefusesTruncatedFiles checks that the judge detects faults.
func TestChromiumRefusesTruncatedFiles(t *testing.T) {
	t.Parallel()
	b := newChromium(t)
	good := papers("", []paper{a4, a4})
	if err := b.opens(t, good, patience.Limit()); err != nil {
		t.Error(err)
	}
	if err := b.opens(t, good[:300], 3*time.Second); err == nil {
		t.Error("Chromium opens a truncated file")
	}
}
