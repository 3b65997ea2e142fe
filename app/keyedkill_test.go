package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

// keyed is a request with an idempotency key, and the identifier in its response.
type keyed struct {
	n  int
	id string // "" without a response
}

// post creates a document with the key, and reports whether the response was replayed.
func (k *keyed) post(c *client) (replayed bool, err error) {
	r, err := http.NewRequest(http.MethodPost, c.url+"/documents", bytes.NewReader(fmt.Appendf(nil, `{"title": "Keyed %d"}`, k.n)))
	if err != nil {
		return false, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Idempotency-Key", fmt.Sprintf("key %d", k.n))
	res, err := c.http.Do(r)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusCreated {
		return false, fmt.Errorf("status %d: %s: %w", res.StatusCode, body, err)
	}
	var made struct{ ID string }
	if err := json.Unmarshal(body, &made); err != nil {
		return false, err
	}
	if k.id != "" && k.id != made.ID {
		return false, fmt.Errorf("got %s at first, and now %s", k.id, made.ID)
	}
	k.id = made.ID
	return res.Header.Get("Idempotency-Replayed") == "true", nil
}

// TestKeyedRequestsAreDoneOnceDespiteAKill kills the process during many requests, and repeats them all.
func TestKeyedRequestsAreDoneOnceDespiteAKill(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	c := p.login()
	var mu sync.Mutex
	var all []*keyed
	var workers sync.WaitGroup
	for range clients {
		workers.Go(func() {
			for {
				mu.Lock()
				k := &keyed{n: len(all)}
				all = append(all, k)
				mu.Unlock()
				if _, err := k.post(c); err != nil {
					return // it was killed
				}
			}
		})
	}
	moment := time.NewTimer(300*time.Millisecond + rand.N(300*time.Millisecond))
	defer moment.Stop()
	<-moment.C
	p.kill()
	workers.Wait()
	p = serve(t, dir)
	c = p.login()
	kept := 0
	for _, k := range all {
		answered := k.id != ""
		replayed, err := k.post(c)
		if err != nil || answered && !replayed {
			t.Errorf("request %d, acknowledged before: %v: %v", k.n, answered, err)
		}
		if replayed && !answered {
			kept++
		}
	}
	titles, total, err := c.walkList("search=Keyed")
	if slices.Sort(titles); err != nil || total != len(all) || len(slices.Compact(titles)) != len(all) {
		t.Errorf("%d requests made %d documents with %d titles: %v", len(all), total, len(slices.Compact(titles)), err)
	}
	t.Logf("%d requests; %d lost responses were replayed", len(all), kept)
	if code := p.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
