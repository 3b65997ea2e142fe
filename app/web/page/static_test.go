package page

import (
	"os"
	"testing"
)

// TestEveryAssetIsServed packs every file, which a server only does on request.
func TestEveryAssetIsServed(t *testing.T) {
	t.Parallel()
	a, err := loadAssets(os.DirFS(".."))
	if err != nil || len(a.files) < 50 {
		t.Fatalf("%d files: %v", len(a.files), err)
	}
	for name, f := range a.files {
		if data, err := f.packed(); err != nil || len(data.raw) == 0 || len(data.small) == 0 || f.kind == "" {
			t.Errorf("%s of kind %q: %d bytes, %d compressed: %v", name, f.kind, len(data.raw), len(data.small), err)
		}
	}
}
