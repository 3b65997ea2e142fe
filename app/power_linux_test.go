package app_test

import (
	"math/rand/v2"
	"testing"

	"paraph/app/apptest/powercut"
)

// TestPowerCutsLoseNothingAcknowledged cuts the power while clients work, once for each way in which a disk loses what
// was not synced. What was acknowledged is there after the next start, and the data is intact.
func TestPowerCutsLoseNothingAcknowledged(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	k := &killing{T: t, dir: t.TempDir(), outside: t.TempDir()}
	k.settings = []string{"log.requests=false", "checkpoints.folder=" + k.outside}
	k.peace()
	for _, loss := range powercut.Losses() {
		disk := powercut.Mount(t, k.dir)
		k.dir, k.cut = disk.Dir, disk.Cut
		touched := k.round()
		k.dir = disk.Rest(t, loss, random)
		p := serve(t, k.dir, k.settings...)
		k.compare(p.login(), touched)
		if code := p.stop(); code != 0 {
			t.Errorf("exit %d", code)
		}
		k.check("after the comparison")
		if t.Failed() {
			t.Fatalf("failed after loss %d with seed %d", loss, seed)
		}
	}
	t.Logf("%d documents", len(k.traces))
}
