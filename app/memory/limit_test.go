package memory_test

import (
	"math"
	"testing"

	"paraph/app/memory"
)

func TestOperatorsLimitWins(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	const mb = 1 << 20
	if got := memory.Limit(300 * mb); got != 300*mb {
		t.Errorf("the configured limit is %d MB, want 300", got/mb)
	}
	if got, machine := memory.Limit(0), memory.Machine(); got <= 0 || got >= machine {
		t.Errorf("the limit is %d of %d bytes", got, machine)
	}
	t.Setenv("GOMEMLIMIT", "1GiB") // the runtime has read it before, and has none
	if got := memory.Limit(300 * mb); got != math.MaxInt64 {
		t.Errorf("the configuration overrides GOMEMLIMIT: %d", got)
	}
}
