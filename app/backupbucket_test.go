package app_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// TestBackupToABucketAndBack uses the commands with keys in the environment.
func TestBackupToABucketAndBack(t *testing.T) {
	t.Parallel()
	backend := s3mem.New()
	if err := backend.CreateBucket("safe"); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	data := filepath.Join(t.TempDir(), "data")
	p := serve(t, data)
	env := []string{"AWS_ACCESS_KEY_ID=key", "AWS_SECRET_ACCESS_KEY=its-secret", "AWS_REGION=here", "AWS_ENDPOINT_URL=" + server.URL}
	on := func(data string, env []string, args ...string) outcome {
		return callWith(t, env, append(args, "--set", "data.dir="+data, "--set", "data.reserve=1MB")...)
	}
	got := on(data, env, "backup", "s3://safe/paraph")
	if got.code != 0 || !strings.Contains(got.out, "Wrote s3://safe/paraph/paraph-") {
		t.Fatalf("%+v", got)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("the server exited with %d", code)
	}
	for says, args := range map[string][]string{
		"network.egress does not allow": {"backup", "s3://safe/paraph", "--set", "network.egress=none"},
		"s3://other":                    {"backup", "s3://other/paraph"},
	} {
		if got := on(data, env, args...); got.code != 1 || !strings.Contains(got.err, says) || strings.Contains(got.err, "its-secret") {
			t.Errorf("%q: %+v", args, got)
		}
	}
	if got := on(data, nil, "backup", "s3://safe/paraph"); got.code != 1 || !strings.Contains(got.err, "AWS_ACCESS_KEY_ID") {
		t.Errorf("without keys: %+v", got)
	}
	elsewhere := filepath.Join(t.TempDir(), "data")
	if got := on(elsewhere, env, "restore", "s3://safe/paraph/"); got.code != 0 {
		t.Fatalf("%+v", got)
	}
	for _, key := range []string{"keys/token.key", "keys/root.pem"} {
		want, err := os.ReadFile(filepath.Join(data, key))
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(filepath.Join(elsewhere, key)); err != nil || string(b) != string(want) {
			t.Errorf("%s changed: %v", key, err)
		}
	}
}
