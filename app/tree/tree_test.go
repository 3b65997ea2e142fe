package tree_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"paraph/app/tree"
)

const company = "01JZ0000000000000000000000"

// forest is a tree in memory.
type forest []tlog.Hash

func (f *forest) ReadHashes(indexes []int64) (out []tlog.Hash, err error) {
	for _, i := range indexes {
		out = append(out, (*f)[i])
	}
	return out, nil
}

func event(n int64) (e [32]byte) { return [32]byte(tlog.RecordHash([]byte(fmt.Sprint(n)))) }

// grown returns a tree, its heads by size, and its keys.
func grown(t testing.TB, size int64) (*forest, []tree.Head, *tree.Keyring) {
	t.Helper()
	f, heads := &forest{}, []tree.Head{{Company: company}}
	for n := range size {
		e := event(n)
		more, err := tlog.StoredHashes(n, e[:], f)
		if err != nil {
			t.Fatal(err)
		}
		*f = append(*f, more...)
		root, err := tlog.TreeHash(n+1, f)
		if err != nil {
			t.Fatal(err)
		}
		heads = append(heads, tree.Head{Company: company, Size: n + 1, Root: root, At: time.UnixMilli(1767225600123 + n).UTC()})
	}
	keys, err := tree.OpenKeyring("")
	if err != nil {
		t.Fatal(err)
	}
	return f, heads, keys
}

func signed(t testing.TB, keys *tree.Keyring, h tree.Head) (text, key string) {
	t.Helper()
	text, err := keys.Sign(h)
	if err == nil {
		key, err = keys.Key(company)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text, key
}

// TestTextIsStable pins the text that third parties rely on.
func TestTextIsStable(t *testing.T) {
	t.Parallel()
	_, heads, keys := grown(t, 3)
	const want = "paraph/company/01JZ0000000000000000000000\n3\nTwhzlx+xbVDaKEMd0nq+r4PWiKDpGiFrML0SNRHTK5o=\ntime 2026-01-01T00:00:00.125Z\n"
	text, key := signed(t, keys, heads[3])
	if got := heads[3].Text(); got != want || !strings.HasPrefix(text, want+"\n— paraph/company/"+company+" ") {
		t.Errorf("%q\n%s", got, text)
	}
	v, err := note.NewVerifier(key)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := tree.Open(text, v); err != nil || h != heads[3] {
		t.Errorf("%+v, %v", h, err)
	}
	if _, err := tree.Open(strings.Replace(text, "\n3\n", "\n4\n", 1), v); !errors.Is(err, tree.ErrCheckpoint) {
		t.Error(err)
	}
	mail := "Hello\r\n\r\n" + strings.ReplaceAll(text+"\n"+text, "\n", "\r\n") + "-- \r\nbye"
	if found := tree.Find(mail); len(found) != 2 || found[0] != text || found[1] != text {
		t.Errorf("%q", found)
	}
}

func TestFrontierHasTheRootOfEverySize(t *testing.T) {
	t.Parallel()
	_, heads, _ := grown(t, 130)
	var f tree.Frontier
	for n := range int64(130) {
		e := event(n)
		f.Add(tlog.RecordHash(e[:]))
		if f.Size() != n+1 || f.Root() != heads[n+1].Root {
			t.Fatalf("at %d", n+1)
		}
	}
}

func TestProofsHoldForTheirEventOnly(t *testing.T) {
	t.Parallel()
	f, heads, keys := grown(t, 20)
	text, key := signed(t, keys, heads[20])
	for n := range int64(20) {
		p, err := tree.NewProof(heads[20], text, key, n, event(n), f)
		if err != nil {
			t.Fatal(err)
		}
		if h, err := p.Check(); err != nil || !h.Same(heads[20]) {
			t.Errorf("%d: %v", n, err)
		}
		if err := p.Leads(heads[19]); err == nil {
			t.Errorf("%d is proven under another head", n)
		}
		p.Index = (n + 1) % 20
		if _, err := p.Check(); !errors.Is(err, tree.ErrProof) {
			t.Errorf("%d is proven at another place: %v", n, err)
		}
	}
}

// TestAPublishedFolderProvesWhatWasPublished publishes a few sizes and proves,
// with the published hashes alone, every event and every earlier size.
func TestAPublishedFolderProvesWhatWasPublished(t *testing.T) {
	t.Parallel()
	const size = 301
	f, heads, keys := grown(t, size)
	folder := tree.Folder(filepath.Join(t.TempDir(), company))
	for _, n := range []int64{7, 256, 259, size} {
		text, key := signed(t, keys, heads[n])
		if err := folder.Publish(heads[n], text, key, keys.Handovers(), f); err != nil {
			t.Fatal(err)
		}
	}
	newest, err := folder.Newest()
	if err != nil {
		t.Fatal(err)
	}
	h, err := tree.Read(newest)
	if err != nil || !h.Same(heads[301]) {
		t.Fatalf("%+v, %v", h, err)
	}
	for _, at := range []tree.Head{heads[301], heads[259], heads[7]} {
		r := folder.Reader(at)
		for n := range at.Size {
			if got, err := r.ReadHashes([]int64{tlog.StoredHashIndex(0, n)}); err != nil || got[0] != leaf(n) {
				t.Fatalf("event %d under %d: %v", n, at.Size, err)
			}
			if err := tree.Consistent(heads[n+1], at, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	if found, ok := tree.FolderOf(filepath.Join(string(folder), "checkpoints", "7")); !ok || found != folder {
		t.Errorf("%s %v", found, ok)
	}
	if key, handovers, err := folder.Keys(); err != nil || key == "" || len(handovers) != 0 {
		t.Errorf("%q %q %v", key, handovers, err)
	}
	text, key := signed(t, keys, heads[200])
	if err := folder.Publish(heads[200], text, key, nil, f); err == nil {
		t.Error("a history that was set back is published")
	}
	other, theirs, _ := grown(t, 302)
	(*other)[0][0] ^= 1
	theirs[302].Root[0] ^= 1
	if err := folder.Publish(theirs[302], text, key, nil, other); err == nil {
		t.Error("another history is published")
	}
}

func leaf(n int64) tlog.Hash { e := event(n); return tlog.RecordHash(e[:]) }

func TestDamagedKeysAreNotReplaced(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoint.key")
	for _, content := range []string{"", "{}", `{"seed":"AAAA"}`, `{"seed":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","past":[{"public":"AA=="}]}`} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tree.OpenKeyring(path); !errors.Is(err, tree.ErrKeyFile) {
			t.Errorf("%q: %v", content, err)
		}
	}
}

// TestFlippedBitsOfTheKeyAreNoticed flips a bit of every letter of the key, as older and newer
// versions have written it.
func TestFlippedBitsOfTheKeyAreNoticed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "checkpoint.key")
	seed := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	if err := os.WriteFile(path, []byte(`{"seed":"`+seed+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := tree.OpenKeyring(path); err != nil {
		t.Fatalf("the file of an older version: %v", err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.Index(whole, []byte(seed))
	for i := range len(seed) - 2 { // the last letter is padding, and the one before partly
		b := bytes.Clone(whole)
		b[first+i] ^= 1
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tree.OpenKeyring(path); !errors.Is(err, tree.ErrKeyFile) {
			t.Errorf("letter %d: %v", i, err)
		}
	}
}

// FuzzProof feeds proofs and checkpoints that anybody could hand in.
func FuzzProof(f *testing.F) {
	hashes, heads, keys := grown(f, 9)
	text, key := signed(f, keys, heads[9])
	p, err := tree.NewProof(heads[9], text, key, 4, event(4), hashes)
	if err != nil {
		f.Fatal(err)
	}
	good, err := json.Marshal(p)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(good))
	f.Add(text)
	f.Add(`{"checkpoint":"","key":"","index":-1,"event_hash":"","hashes":[""]}`)
	f.Fuzz(func(t *testing.T, in string) {
		for _, s := range append(tree.Find(in), in) {
			if h, err := tree.Read(s); err == nil && h.Size < 0 {
				t.Errorf("size %d", h.Size)
			}
			if _, err := tree.Trusted(company, s, []string{s, in}); err == nil && s == "" {
				t.Error("an empty key is trusted")
			}
		}
		var p tree.Proof
		if json.Unmarshal([]byte(in), &p) != nil {
			return
		}
		h, err := p.Check()
		if err == nil && p.Leads(h) != nil {
			t.Error("it is proven and is not")
		}
	})
}
