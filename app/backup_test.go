package app_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/dgraph-io/badger/v4"

	"paraph/app/apptest/patience"
)

// mustCall runs a command on a data folder and expects it to succeed.
func mustCall(t *testing.T, data string, args ...string) outcome {
	t.Helper()
	got := call(t, append(args, "--set", "data.dir="+data, "--set", "data.reserve=1MB")...)
	if got.code != 0 {
		t.Fatalf("%q: exit %d\n%s%s", args, got.code, got.out, got.err)
	}
	return got
}

// mustRefuse runs a command that must exit with 1 and a sentence.
func mustRefuse(t *testing.T, says, data string, args ...string) {
	t.Helper()
	got := call(t, append(args, "--set", "data.dir="+data, "--set", "data.reserve=1MB")...)
	if got.code != 1 || !strings.Contains(got.err, says) || strings.Count(got.err, "\n") != 1 {
		t.Errorf("%q: exit %d and %q, want a sentence with %q", args, got.code, got.err, says)
	}
}

// write creates documents until stop is set, and returns how many.
func (c *client) write(stop *atomic.Bool, content []byte) (n int, err error) {
	for ; !stop.Load(); n++ {
		if _, err := c.complete(fmt.Sprintf("Busy %d", n), content); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (c *client) signed(t *testing.T, id string) []byte {
	t.Helper()
	b, err := c.send(http.MethodPost, "/documents/"+id+"/download", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBackedUpUnderLoadAndRestoredElsewhere(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("[log]\nlevel = \"info\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := begin(t, backedUpServer(t, dir, config))
	c := p.login()
	content := smallPDF("Lease", 20_000)
	want := map[string][]byte{}
	keep := func(title string) {
		t.Helper()
		id, err := c.complete(title, content)
		if err != nil {
			t.Fatal(err)
		}
		want[id] = c.signed(t, id)
	}
	keep("Before")
	var stop atomic.Bool
	var writers sync.WaitGroup
	for range 2 {
		writers.Go(func() {
			if n, err := c.write(&stop, content); n == 0 || err != nil {
				t.Errorf("%d documents were created meanwhile: %v", n, err)
			}
		})
	}
	mustCall(t, dir, "backup", out)
	keep("Between")
	published := c.checkpointFile(t)
	got := mustCall(t, dir, "backup", out, "--since", out)
	if !strings.Contains(got.out, "not encrypted") {
		t.Errorf("the keys are not mentioned: %q", got.out)
	}
	stop.Store(true)
	writers.Wait()
	mustRefuse(t, "in use", dir, "restore", out)

	to := filepath.Join(t.TempDir(), "elsewhere")
	if said := mustCall(t, to, "restore", out); !strings.Contains(said.out, filepath.Join(to, "restored", "config.toml")) {
		t.Errorf("the configuration is not mentioned: %q", said.out)
	}
	mustCall(t, to, "check", "--checkpoint", published) // signed by the key that was restored
	mustRefuse(t, "not empty", to, "restore", out)
	others := dirWith(t, "mine")
	mustRefuse(t, "not empty", others, "restore", out)
	fresh := t.TempDir()
	mustRefuse(t, "no such file", fresh, "restore", filepath.Join(out, "missing"))
	for dir, files := range map[string]int{others: 1, fresh: 0} {
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != files {
			t.Errorf("a refused restore leaves %v in %s: %v", entries, dir, err)
		}
	}

	q := serve(t, to)
	again := q.login()
	root := filepath.Join(t.TempDir(), "root.pem")
	pem, err := again.send(http.MethodGet, "/certificates/root.pem", "", nil)
	if err == nil {
		err = os.WriteFile(root, pem, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for id, b := range want {
		if !bytes.Equal(again.signed(t, id), b) {
			t.Errorf("document %s differs", id)
		}
		path := filepath.Join(t.TempDir(), "signed.pdf")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		judged(t, path, trusting(t, root))
	}
	if _, err := again.complete("After", content); err != nil {
		t.Errorf("the restored installation does not work: %v", err)
	}
}

// backedUpServer starts a server with a configuration file.
func backedUpServer(t *testing.T, dir, config string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), "serve", "--config", config, "--set", "data.dir="+dir,
		"--set", "server.listen=127.0.0.1:0", "--set", "data.reserve=1MB")
	cmd.Env = environ("PARAPH_ADMIN_EMAIL="+adminEmail, "PARAPH_ADMIN_PASSWORD="+adminPassword)
	return cmd
}

func dirWith(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// folderWithFiles returns the data folder of a stopped server, with some
// megabytes of files.
func folderWithFiles(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	p := serve(t, dir)
	c := p.login()
	for i := range 3 {
		if _, err := c.complete(fmt.Sprint("Document ", i), smallPDF(fmt.Sprint("Lease ", i), 4<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	return dir
}

func TestBackupIsVerifiedInACopy(t *testing.T) {
	t.Parallel()
	dir, out := folderWithFiles(t), t.TempDir()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(identity.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustCall(t, dir, "backup", out, "--recipient", identity.Recipient().String()); strings.Contains(got.out, "not encrypted") {
		t.Errorf("for an encrypted backup: %q", got.out)
	}
	got := mustCall(t, t.TempDir(), "backup", "verify", out, "--identity", key)
	for _, want := range []string{"is as it should be", "completed in the copy is sound", "The backup is good."} {
		if !strings.Contains(got.out, want) {
			t.Errorf("verify does not say %q: %q", want, got.out)
		}
	}
	mustRefuse(t, "--identity", dir, "backup", "verify", out)

	file := onlyFile(t, out)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rewrite(t, file, flipped(b, len(b)/2), 0o600)
	mustRefuse(t, file, dir, "backup", "verify", out, "--identity", key)
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(all) != 1 {
		t.Fatalf("%v: %v", all, err)
	}
	return all[0]
}

// killedOnce starts a command that writes to a folder, and kills it once the folder
// has the given size. The command may finish first.
func killedOnce(t *testing.T, dir string, size int64, args ...string) {
	t.Helper()
	cmd := exec.Command(binary(t), args...)
	cmd.Dir, cmd.Env = t.TempDir(), environ()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // killed
		close(ended)
	}()
	patience.Until(t, "something is written", func() (string, bool) {
		select {
		case <-ended:
			return "", true
		default:
		}
		written := bytesIn(t, dir)
		return fmt.Sprint(written, " bytes"), written >= size
	})
	_ = cmd.Process.Kill() // it may have ended
	<-ended
}

// bytesIn returns the size of the files in a folder, plus one byte for each.
func bytesIn(t *testing.T, dir string) (total int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil // renamed or removed in the meantime
		}
		if info, err := e.Info(); err == nil {
			total += info.Size() + 1
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

func TestKilledBackupOrRestoreLeavesNothingPartial(t *testing.T) {
	t.Parallel()
	dir := folderWithFiles(t)
	set := []string{"--set", "data.reserve=1MB", "--set", "data.dir="}
	args := func(data string, args ...string) []string {
		return append(append(args, set[:3]...), set[3]+data)
	}
	for _, size := range []int64{0, 1, 10_000, 100_000} {
		out := t.TempDir()
		killedOnce(t, out, size, args(dir, "backup", out)...)
		names, err := filepath.Glob(filepath.Join(out, "*.tar.zst"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names { // it finished before the kill
			mustCall(t, t.TempDir(), "restore", name)
		}
	}
	good := filepath.Join(t.TempDir(), "good")
	mustCall(t, dir, "backup", good)
	half := 0
	for _, size := range []int64{0, 1, 10_000, 100_000} {
		to := t.TempDir()
		killedOnce(t, to, size, args(to, "restore", good)...)
		if _, err := os.Stat(filepath.Join(to, "RESTORING")); err != nil {
			continue
		}
		half++
		mustRefuse(t, "did not finish", to, "serve", "--set", "server.listen=127.0.0.1:0")
	}
	if half == 0 {
		t.Error("no restore was killed before it finished")
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	mustCall(t, fresh, "restore", good)
	mustCall(t, fresh, "check")
}

// follow starts a process that keeps a folder up to date.
func (p *process) follow(t *testing.T, dir, out string, more ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(binary(t), append([]string{"backup", out, "--follow", "--every", "100ms", "--set", "data.dir=" + dir}, more...)...)
	cmd.Dir, cmd.Env = t.TempDir(), environ()
	said, err := os.Create(filepath.Join(cmd.Dir, said))
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd.Stdout = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		// It may have ended already.
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// said is the file with what a follower printed.
const said = "said"

// TestWhatAFollowerHoldsOpensNothing looks for keys and tokens in what a follower keeps for a recipient, and expects to be
// told where anybody could read them.
func TestWhatAFollowerHoldsOpensNothing(t *testing.T) {
	t.Parallel()
	dir, sealed, plain := t.TempDir(), t.TempDir(), t.TempDir()
	p := serve(t, dir)
	c := p.login()
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	const warning = "is not encrypted: whoever reads it can sign as you"
	tells := func(f *exec.Cmd) bool {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(f.Dir, said))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(b), warning)
	}
	holds := func(out string) (all []string) {
		t.Helper()
		if all, err = filepath.Glob(filepath.Join(out, "paraph-*")); err != nil {
			t.Fatal(err)
		}
		return all
	}
	safe, open := p.follow(t, dir, sealed, "--recipient", identity.Recipient().String()), p.follow(t, dir, plain)
	p.until("both have a backup", func() (string, bool) {
		return fmt.Sprint(holds(sealed), holds(plain)), len(holds(sealed)) > 0 && len(holds(plain)) > 0
	})
	if tells(safe) || !tells(open) {
		t.Errorf("the warning is given for encrypted backups: %v, for others: %v", tells(safe), tells(open))
	}
	key, err := os.ReadFile(filepath.Join(dir, "keys", "token.key"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range holds(sealed) {
		b, err := os.ReadFile(path)
		if err != nil || !bytes.HasPrefix(b, []byte("age-encryption.org/v1")) {
			t.Errorf("%s: %.40q, %v", path, b, err)
		}
		for name, secret := range map[string]string{"the key of tokens": string(key), "a session": c.token, "a key": "PRIVATE KEY", "an address": adminEmail} {
			if bytes.Contains(b, []byte(secret)) {
				t.Errorf("%s is in %s", name, path)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s can be read by others: %v, %v", path, info, err)
		}
	}
}

func TestFollowedFolderSurvivesRestarts(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	p := serve(t, dir)
	archives := func() int {
		all, err := filepath.Glob(filepath.Join(out, "*.tar.zst"))
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	step := func(title string) {
		t.Helper()
		before := archives()
		if _, err := p.login().complete(title, smallPDF("Lease", 20_000)); err != nil {
			t.Fatal(err)
		}
		p.until("another backup", func() (string, bool) { return fmt.Sprintf("%d archives", archives()), archives() > before })
	}
	f := p.follow(t, dir, out)
	p.until("the first backup", func() (string, bool) { return fmt.Sprintf("%d archives", archives()), archives() == 1 })
	mustRefuse(t, "another process", dir, "backup", out, "--follow")
	step("One")
	if err := f.Process.Kill(); err != nil { // as a power cut would
		t.Fatal(err)
	}
	_ = f.Wait()
	p.follow(t, dir, out)
	step("Two")
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	p = serve(t, dir)
	step("Three")
	if all, err := filepath.Glob(filepath.Join(out, "*-full-*")); len(all) != 1 || err != nil {
		t.Errorf("%d full backups: %v", len(all), err)
	}
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	to := filepath.Join(t.TempDir(), "to")
	mustCall(t, to, "restore", out)
	total, err := serve(t, to).login().total("search=Three")
	if err != nil || total != 1 {
		t.Errorf("%d of the latest documents were restored: %v", total, err)
	}
}

func TestOwnerSeesTheLastBackup(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "one")
	p := serve(t, dir)
	c := p.login()
	says := func(want bool, words ...string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, p.url+"/app/settings", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(&http.Cookie{Name: "paraph_session", Value: c.token})
		answer, err := p.http.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(answer.Body)
		if err = errors.Join(err, answer.Body.Close()); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.StatusCode, err)
		}
		for _, w := range words {
			if strings.Contains(string(page), w) != want {
				t.Errorf("the page shows %q: %v", w, !want)
			}
		}
	}
	says(false, "no backup", "Last backup")
	if _, err := c.complete("Lease", smallPDF("Lease", 20_000)); err != nil {
		t.Fatal(err)
	}
	says(true, "no backup")
	mustCall(t, dir, "backup", out)
	says(true, "Last backup", out, "not encrypted")
	says(false, "no backup", "seven days")
	record, err := filepath.Glob(filepath.Join(dir, "backups", "*.json"))
	if err != nil || len(record) != 1 {
		t.Fatal(record, err)
	}
	b, err := os.ReadFile(record[0])
	if err != nil {
		t.Fatal(err)
	}
	today := []byte(`"confirmed":"` + time.Now().UTC().Format("2006-01"))
	rewrite(t, record[0], bytes.Replace(b, today, []byte(`"confirmed":"2025-01`), 1), 0o600)
	says(true, "seven days", "Last backup")
}

// makeOlder turns a store into one written by an older version.
func makeOlder(t *testing.T, dir string, version byte) {
	t.Helper()
	db, err := badger.OpenManaged(badger.DefaultOptions(filepath.Join(dir, "kv")).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	at := db.MaxVersion()
	txn := db.NewTransactionAt(at, false)
	it := txn.NewIterator(badger.IteratorOptions{})
	var key, value []byte
	for it.Rewind(); it.Valid(); it.Next() {
		if v, failed := it.Item().ValueCopy(nil); failed != nil || bytes.Contains(it.Item().Key(), []byte("format")) && len(v) == 16 {
			key, value, err = it.Item().KeyCopy(nil), v, failed
			break
		}
	}
	it.Close()
	txn.Discard()
	if err != nil || value == nil {
		t.Fatal("no version is stored", err)
	}
	value[15] = version
	w := db.NewTransactionAt(at, true)
	if err := errors.Join(w.Set(key, value), w.CommitAt(at+1, nil), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// shownUpgrade is the last upgrade as shown to administrators of the installation.
type shownUpgrade struct {
	From, To int
	Seconds  float64
}

// lastUpgrade returns the last upgrade, and the version of the records.
func (c *client) lastUpgrade(t *testing.T) (*shownUpgrade, int) {
	t.Helper()
	var state struct {
		Upgrade *shownUpgrade `json:"last_upgrade"`
		Format  int
	}
	if err := c.do(http.MethodGet, "/installation", nil, &state); err != nil {
		t.Fatal(err)
	}
	return state.Upgrade, state.Format
}

func TestUpgradeKeepsACopyOfTheRecords(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := serve(t, dir)
	c := p.login()
	id, err := c.complete("Lease", smallPDF("Lease", 20_000))
	if err != nil {
		t.Fatal(err)
	}
	want := c.signed(t, id)
	if code := p.stop(); code != 0 {
		t.Fatalf("exit %d", code)
	}
	makeOlder(t, dir, 1)
	p = serve(t, dir)
	if !bytes.Equal(p.login().signed(t, id), want) {
		t.Error("the signed file changed with the upgrade")
	}
	if u, format := p.login().lastUpgrade(t); u == nil || u.From != 1 || u.To != format || u.Seconds <= 0 {
		t.Errorf("the upgrade of the records from 1 to %d is shown as %+v", format, u)
	}
	kept := filepath.Join(dir, "backups", "before-upgrade-from-1.tar.zst")
	to := filepath.Join(t.TempDir(), "to")
	mustRefuse(t, "no archive holds", to, "restore", kept)
	mustCall(t, to, "restore", kept, "--files", filepath.Join(dir, "files"))
	q := serve(t, to) // upgrades it in turn
	if !bytes.Equal(q.login().signed(t, id), want) {
		t.Error("the signed file differs in the copy from before the upgrade")
	}
	mustCall(t, to, "check")
	if _, err := os.Stat(filepath.Join(to, "backups", filepath.Base(kept))); err != nil {
		t.Errorf("the copy is not of the older version: %v", err)
	}
	p.stop()
	old := filepath.Join(dir, "backups", "before-upgrade-from-0.tar.zst")
	if err := os.WriteFile(old, []byte("of two upgrades ago"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, age := range map[string]time.Duration{kept: 6 * 24 * time.Hour, old: 8 * 24 * time.Hour} {
		at := time.Now().Add(-age)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	serve(t, dir)
	patience.Until(t, "the copy from more than a week ago is removed", func() (string, bool) {
		_, err := os.Stat(old)
		return fmt.Sprint(err), errors.Is(err, fs.ErrNotExist)
	})
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("the copy from six days ago: %v", err)
	}
}
