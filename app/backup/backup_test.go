package backup_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"paraph/app/archive"
	"paraph/app/backup"
	"paraph/app/blob"
	"paraph/kv"
)

var notes = kv.NewCollection("notes", kv.JSON[string](), kv.Index[string]{
	Name: "files", Keys: func(file string) []kv.Key {
		if len(file) != 64 {
			return nil // a long note
		}
		return []kv.Key{kv.K(file)}
	},
})

// needed tells which files the notes need.
type needed struct{}

func (needed) Each(tx *kv.Tx, since uint64, fn func(hash string) error) error {
	return notes.EachPart(tx, "files", since, fn)
}

func (needed) Needs(tx *kv.Tx, hash string) (bool, error) { return notes.HasPart(tx, "files", hash) }

// folder is a data folder with records and files.
type folder struct {
	*testing.T
	*backup.Source
	now     time.Time
	buckets backup.Buckets // for following into one
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir := t.TempDir()
	blobs, err := blob.Open(filepath.Join(dir, "files"), blob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := &folder{T: t, now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	f.Source = &backup.Source{Blobs: blobs, Files: needed{}, Dir: dir, DataVersion: 1, Program: "test", Now: func() time.Time { return f.now }}
	f.open(kv.Migration{To: 1})
	t.Cleanup(func() {
		if err := f.DB.Close(); err != nil {
			t.Error(err)
		}
	})
	f.file("keys/root.pem", "the root")
	return f
}

func (f *folder) open(migrations ...kv.Migration) {
	f.Helper()
	var err error
	if f.DB, err = kv.Open(kv.Options{Dir: filepath.Join(f.Dir, "kv"), Migrations: migrations}); err != nil {
		f.Fatal(err)
	}
}

// upgrade reopens the store with a version of the program that migrates the records.
func (f *folder) upgrade(run func(db *kv.DB) error) {
	f.Helper()
	if err := f.DB.Close(); err != nil {
		f.Fatal(err)
	}
	f.open(kv.Migration{To: 1}, kv.Migration{To: 2, Run: run})
	f.DataVersion = 2
}

func (f *folder) file(name, content string) {
	f.Helper()
	path := filepath.Join(f.Dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		f.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		f.Fatal(err)
	}
}

// note stores a record that refers to a file.
func (f *folder) note(id string, content []byte) string {
	f.Helper()
	ref, err := f.Blobs.Put(f.Context(), bytes.NewReader(content))
	if err == nil {
		err = f.DB.Update(func(tx *kv.Tx) error { return notes.Put(tx, id, ref.Hash) })
	}
	if err != nil {
		f.Fatal(err)
	}
	return ref.Hash
}

func (f *folder) forget(id, hash string) {
	f.Helper()
	err := f.DB.Update(func(tx *kv.Tx) error { return notes.Delete(tx, id) })
	if err = errors.Join(err, f.Blobs.Remove(hash)); err != nil {
		f.Fatal(err)
	}
}

// take makes a backup one minute after the one before.
func (f *folder) take(out string, o backup.Options) backup.Record {
	f.Helper()
	f.now = f.now.Add(time.Minute)
	r, err := backup.Take(f.Context(), f.Source, out, o)
	if err != nil {
		f.Fatal(err)
	}
	return r
}

func restore(t *testing.T, in string, keys backup.Keys) (string, error) {
	t.Helper()
	dir := t.TempDir()
	_, err := backup.Restore(t.Context(), in, dir, backup.RestoreOptions{Keys: keys, DataVersion: 2, Needed: needed{}, Log: slog.New(slog.DiscardHandler)})
	return dir, err
}

// content returns everything in a data folder, by name.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	db, err := kv.Open(kv.Options{Dir: filepath.Join(dir, "kv"), Migrations: []kv.Migration{{To: 2, Run: func(*kv.DB) error { return nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *kv.Tx) error {
		return notes.Each(tx, "", nil, func(id, v string) (bool, error) { all["note "+id] = v; return true, nil })
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"files", "keys", "restored"} {
		err := filepath.WalkDir(filepath.Join(dir, folder), func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil
			}
			b, err := os.ReadFile(path)
			all[strings.TrimPrefix(path, dir)] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, b := range want {
		if got[name] != b {
			t.Errorf("%s is not what was backed up", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s should not be there", name)
		}
	}
}

// snapshot returns the current content of the folder, without closing its
// store.
func (f *folder) snapshot() map[string]string {
	f.Helper()
	dir, err := restore(f.T, f.take(f.TempDir(), backup.Options{}).Where, backup.Keys{})
	if err != nil {
		f.Fatal(err)
	}
	return content(f.T, dir)
}

func TestAChainBringsBackEachMoment(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.Settings = filepath.Join(f.Dir, "config.toml")
	f.file("config.toml", "# settings")
	out := t.TempDir()
	old := f.note("a", []byte("first"))
	large := make([]byte, 1<<20)
	if _, err := rand.NewChaCha8([32]byte{}).Read(large); err != nil {
		t.Fatal(err)
	}
	f.note("b", large)
	for i := range 5 { // more than fits into one entry
		err := f.DB.Update(func(tx *kv.Tx) error {
			return notes.Put(tx, fmt.Sprint("long ", i), hex.EncodeToString(large[:900<<10]))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	first := f.snapshot()
	full := f.take(out, backup.Options{})
	f.note("c", []byte("second"))
	f.forget("a", old)
	f.file("keys/company.pem", "a company")
	second := f.snapshot()
	part := f.take(out, backup.Options{Since: out})
	f.note("a", []byte("first")) // again
	third := f.snapshot()
	last := f.take(out, backup.Options{Since: part.Where})
	if first["/restored/config.toml"] != "# settings" || len(second) != len(first)+1 {
		t.Errorf("%d things at first, then %d", len(first), len(second))
	}
	for in, want := range map[string]map[string]string{full.Where: first, part.Where: second, last.Where: third, out: third} {
		dir, err := restore(t, in, backup.Keys{})
		if err != nil {
			t.Fatal(in, err)
		}
		same(t, content(t, dir), want)
	}
	if part.Size > full.Size/2 || full.Kind() != "full" || part.Kind() != "part" {
		t.Errorf("an increment takes %d bytes, all of it %d", part.Size, full.Size)
	}

	if err := os.Remove(part.Where); err != nil {
		t.Fatal(err)
	}
	dir, err := restore(t, out, backup.Keys{})
	if !errors.Is(err, backup.ErrGap) || !strings.Contains(err.Error(), part.ID) {
		t.Errorf("with a gap: %v", err)
	}
	wantEmpty(t, dir)
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("%s was left behind", e.Name())
	}
}

// eachDamage calls fn with copies of an archive that differ in one byte or are truncated.
func eachDamage(b []byte, fn func(what string, b []byte)) {
	step := max(len(b)/12, 1)
	for at := 0; at < len(b); at += step {
		c := bytes.Clone(b)
		c[at] ^= 0x10
		fn(fmt.Sprintf("byte %d of %d flipped", at, len(b)), c)
		fn(fmt.Sprintf("cut to %d of %d", at, len(b)), b[:at])
	}
	fn("the last byte gone", b[:len(b)-1])
	fn("a byte more", append(bytes.Clone(b), 0))
	fn("twice", append(bytes.Clone(b), b...))
}

func TestAnyDamageIsFoundAndNothingIsLeft(t *testing.T) {
	t.Parallel()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range map[string]backup.Keys{
		"plain":     {},
		"encrypted": {Recipients: []age.Recipient{identity.Recipient()}, Identities: []age.Identity{identity}},
	} {
		f := newFolder(t)
		f.note("a", []byte("first"))
		f.note("b", []byte("second"))
		out := filepath.Join(t.TempDir(), "one")
		f.take(out, backup.Options{Keys: keys})
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		eachDamage(b, func(what string, b []byte) {
			n++
			path := filepath.Join(t.TempDir(), "damaged")
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			dir, err := restore(t, path, keys)
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			wantEmpty(t, dir)
		})
		if n < 25 {
			t.Errorf("only %d kinds of damage", n)
		}
	}
}

func TestOnlyTheRightKeyOpens(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parse := func(recipients, identities []string, passphrase string) backup.Keys {
		k, err := archive.ParseKeys(recipients, identities, passphrase)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	one, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	two, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	first, second := write("one", one.String()+"\n"), write("two", "# comment\n"+two.String())
	secret := write("secret", "correct horse\n")
	f := newFolder(t)
	f.note("a", []byte("first"))
	forBoth := f.take(dir, backup.Options{Keys: parse([]string{one.Recipient().String(), two.Recipient().String()}, nil, "")})
	forOne := f.take(dir, backup.Options{Keys: parse([]string{one.Recipient().String()}, nil, "")})
	cheap, err := age.NewScryptRecipient("correct horse") // the default takes a second
	if err != nil {
		t.Fatal(err)
	}
	cheap.SetWorkFactor(10)
	withPhrase := parse(nil, nil, secret)
	withPhrase.Recipients = []age.Recipient{cheap}
	phrase := f.take(dir, backup.Options{Keys: withPhrase})
	for i, c := range []struct {
		in   string
		keys backup.Keys
		want error
	}{
		{forBoth.Where, parse(nil, []string{first}, ""), nil},
		{forBoth.Where, parse(nil, []string{second}, ""), nil},
		{forOne.Where, parse(nil, []string{second}, ""), backup.ErrNoKey},
		{forOne.Where, backup.Keys{}, backup.ErrNoKey},
		{forOne.Where, parse(nil, nil, secret), backup.ErrNoKey},
		{phrase.Where, parse(nil, nil, secret), nil},
		{phrase.Where, parse(nil, nil, write("wrong", "incorrect horse")), backup.ErrNoKey},
	} {
		_, err := restore(t, c.in, c.keys)
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%d: %v, want %v", i, err, c.want)
		}
	}
	b, err := os.ReadFile(forOne.Where)
	if err != nil || !bytes.HasPrefix(b, []byte("age-encryption.org/v1")) || bytes.Contains(b, []byte("backup.json")) {
		t.Errorf("not a file of age: %.30q %v", b, err)
	}
}

func TestOnlyAnEmptyFolderIsRestoredInto(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.note("a", []byte("first"))
	r := f.take(t.TempDir(), backup.Options{})
	o := backup.RestoreOptions{DataVersion: 1, Needed: needed{}, Log: slog.New(slog.DiscardHandler)}
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(t.Context(), r.Where, dir, o); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("a folder that is not empty: %v", err)
	}
	if _, err := os.Stat(mine); err != nil {
		t.Error(err)
	}
	// The remains of an interrupted restore may be removed.
	if err := os.WriteFile(filepath.Join(dir, "RESTORING"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if half, err := backup.Interrupted(dir); !half || err != nil {
		t.Errorf("not taken for interrupted: %v", err)
	}
	if _, err := backup.Restore(t.Context(), r.Where, dir, o); err != nil {
		t.Error(err)
	}
	if half, err := backup.Interrupted(dir); half || err != nil {
		t.Errorf("taken for interrupted: %v", err)
	}
	if o.DataVersion = 0; true {
		_, err := backup.Restore(t.Context(), r.Where, t.TempDir(), o)
		if err == nil || !strings.Contains(err.Error(), "newer version") {
			t.Errorf("a backup of a newer version: %v", err)
		}
	}
}

// slow calls then once, when a backup has begun to read.
type slow struct {
	*folder
	then func()
}

func (s *slow) Open(ctx context.Context, q backup.Request) (io.ReadCloser, error) {
	r, err := s.Source.Open(ctx, q)
	if err != nil {
		return nil, err
	}
	head := make([]byte, 512)
	_, err = io.ReadFull(r, head)
	s.then()
	return &joined{io.MultiReader(bytes.NewReader(head), r), r}, err
}

type joined struct {
	io.Reader
	io.Closer
}

func TestAFileIsNotSweptBeforeItIsCopied(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.note("big", bytes.Repeat([]byte("0123456789abcdef"), 1<<20))
	hash := f.note("a", []byte("first"))
	removed := -1
	s := &slow{f, func() {
		var err error
		if removed, err = f.Blobs.Sweep(time.Now().Add(time.Hour), func(string) (bool, error) { return false, nil }); err != nil {
			t.Error(err)
		}
	}}
	r, err := backup.Take(t.Context(), s, t.TempDir(), backup.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir, err := restore(t, r.Where, backup.Keys{})
	if err != nil {
		t.Fatal(err)
	}
	if got := content(t, dir)["/files/"+hash[:1]+"/"+hash[1:2]+"/"+hash]; got != "first" || removed != 0 {
		t.Errorf("the file is %q after a sweep that removed %d", got, removed)
	}
	if n, err := f.Blobs.Sweep(time.Now().Add(time.Hour), func(string) (bool, error) { return false, nil }); n != 2 || err != nil {
		t.Errorf("after the backup a sweep removes %d files: %v", n, err)
	}
}

func TestABackupReplacesNothingAndIsPrivate(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.note("a", []byte("first"))
	out := filepath.Join(t.TempDir(), "one.tar.zst")
	f.take(out, backup.Options{})
	if _, err := backup.Take(t.Context(), f.Source, out, backup.Options{}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("onto another backup: %v", err)
	}
	info, err := os.Stat(out)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v: %v", info.Mode(), err)
	}
	entries, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(entries) != 1 {
		t.Errorf("%v was left behind: %v", entries, err)
	}
	other := newFolder(t)
	if _, err := backup.Take(t.Context(), other.Source, t.TempDir(), backup.Options{Since: out}); !errors.Is(err, backup.ErrUnknownBackup) {
		t.Errorf("after the backup of another installation: %v", err)
	}
}

func TestADamagedFileDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	hash := f.note("a", []byte("first"))
	f.note("b", []byte("second"))
	f.file("files/"+hash[:1]+"/"+hash[1:2]+"/"+hash, "worst")
	r := f.take(out, backup.Options{})
	if !slices.Equal(r.Damaged, []string{hash}) || !strings.Contains(r.Lacks(), hash) {
		t.Errorf("lacking are %q", r.Damaged)
	}
	restored := func() map[string]string {
		dir, err := restore(t, out, backup.Keys{})
		if err != nil {
			t.Fatal(err)
		}
		return content(t, dir)
	}
	before := restored()
	f.note("a", []byte("first")) // healed by an upload of the same
	if r = f.take(out, backup.Options{Since: out}); len(r.Damaged) != 0 {
		t.Errorf("lacking are %q after it was healed", r.Damaged)
	}
	if after := restored(); len(before) != 4 || len(after) != 5 {
		t.Errorf("%d things without the file and %d with it", len(before), len(after))
	}
}

// ending calls beside before it records a backup as done.
type ending struct {
	*folder
	beside func()
}

func (e ending) Done(ctx context.Context, r backup.Record) error {
	e.beside()
	return e.Source.Done(ctx, r)
}

// TestABackupOfDaysIsRecorded takes an increment while a backup that was begun three days ago is
// read back.
func TestABackupOfDaysIsRecorded(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	f.take(out, backup.Options{})
	calls, begun := 0, f.now
	f.Source.Now = func() time.Time {
		if calls++; calls == 1 {
			return begun
		}
		return begun.AddDate(0, 0, 3)
	}
	long := ending{f, func() { f.take(out, backup.Options{Since: out}) }}
	if _, err := backup.Take(t.Context(), long, t.TempDir(), backup.Options{}); err != nil {
		t.Error(err)
	}
}

// TestBackupsEndAtTheSameTime ends a backup while another one removes the old records.
func TestBackupsEndAtTheSameTime(t *testing.T) {
	t.Parallel()
	f, out := newFolder(t), t.TempDir()
	for range 8 {
		f.take(out, backup.Options{})
	}
	records, err := filepath.Glob(filepath.Join(f.Dir, "backups", "*.json"))
	if err != nil || len(records) != 8 {
		t.Fatal(records, err)
	}
	for _, record := range records[:4] { // as another backup does that ends now
		if err := os.Remove(record); err != nil {
			t.Fatal(err)
		}
	}
	f.take(out, backup.Options{})
}
