package kv_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"paraph/kv"
)

// killEnv makes the test binary a writer to the folder it names.
const killEnv = "KV_TEST_WRITER"

// TestMain runs the writer when killEnv is set.
func TestMain(m *testing.M) {
	if dir := os.Getenv(killEnv); dir != "" {
		fmt.Fprintln(os.Stderr, writer(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

var trail = kv.NewLog("trail", kv.JSON[string]())

// writer changes records from many goroutines until it is killed, and prints "goroutine round"
// after each acknowledged change. One call moves the goroutine's record, counts the round in
// another record, and appends to the log.
func writer(dir string) error {
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		return err
	}
	failed := make(chan error)
	var out sync.Mutex
	for w := range 16 {
		go func() {
			for {
				round, err := step(db, w)
				if err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(w, round)
				out.Unlock()
			}
		}()
	}
	return <-failed
}

func step(db *kv.DB, w int) (round int, err error) {
	name := fmt.Sprintf("round-%02d", w)
	err = db.Update(func(tx *kv.Tx) error {
		d, err := docs.Get(tx, name)
		if err != nil && err != kv.ErrNotFound {
			return err
		}
		d.N++
		d.Company, round = "rounds", d.N
		if err := docs.Put(tx, name, d); err != nil {
			return err
		}
		id := fmt.Sprintf("%02d-%06d", w, d.N)
		if err := docs.Put(tx, id, doc{Company: "work", Status: fmt.Sprint(d.N % 3), Title: fmt.Sprint(d.N * 7919 % 1000), Body: strings.Repeat("b", d.N%700)}); err != nil {
			return err
		}
		if d.N%5 == 0 {
			if err := docs.Delete(tx, fmt.Sprintf("%02d-%06d", w, d.N-3)); err != nil {
				return err
			}
		}
		_, err = trail.Append(tx, id, "work", name, id)
		return err
	})
	return round, err
}

func TestKilledProcessLosesNothing(t *testing.T) {
	alone(t)
	t.Parallel()
	rounds := 4
	if n, err := strconv.Atoi(os.Getenv("KV_TEST_KILLS")); err == nil {
		rounds = n
	}
	dir := t.TempDir()
	acknowledged := map[int]int{}
	for range rounds {
		kill(t, dir, acknowledged)
		survived(t, dir, acknowledged)
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was written")
	}
}

// kill runs a writer for a while, kills it, and records the rounds it acknowledged.
func kill(t *testing.T, dir string, acknowledged map[int]int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), killEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	after := time.Duration(0)
	for lines.Scan() {
		var w, round int
		if _, err := fmt.Sscan(lines.Text(), &w, &round); err != nil {
			break // the line was truncated
		}
		acknowledged[w] = max(acknowledged[w], round)
		if after == 0 { // the writer is busy: kill it soon
			after = time.Duration(50+rand.IntN(600)) * time.Millisecond
			time.AfterFunc(after, func() {
				if err := cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
			})
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Error("writer ended without being killed")
	}
}

func survived(t *testing.T, dir string, acknowledged map[int]int) {
	t.Helper()
	db, err := kv.Open(kv.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	clean(t, db, docs, trail)
	view(t, db, func(tx *kv.Tx) error {
		var total uint64
		for w, round := range acknowledged {
			d, err := docs.Get(tx, fmt.Sprintf("round-%02d", w))
			if err != nil || d.N < round || d.N > round+1 {
				t.Errorf("writer %d: %d rounds stored, %d acknowledged: %v", w, d.N, round, err)
			}
			if _, err := trail.Get(tx, fmt.Sprintf("%02d-%06d", w, d.N)); err != nil {
				t.Errorf("writer %d: last round missing from the log: %v", w, err)
			}
			total += uint64(d.N)
			acknowledged[w] = d.N
		}
		seq, _, err := trail.Head(tx)
		if len(acknowledged) == 16 && seq != total {
			t.Errorf("log has %d entries, records count %d", seq, total)
		}
		return err
	})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
