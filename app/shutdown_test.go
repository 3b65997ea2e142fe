package app_test

import (
	"testing"

	"paraph/app/apptest"
	"paraph/app/apptest/patience"
)

func TestAnApplianceThatIsStoppedAtOnceEnds(t *testing.T) {
	t.Parallel()
	for range 5 {
		s, err := apptest.Start()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Close() }()
		if err := patience.Receive(t, "the end of the appliance", ended); err != nil {
			t.Error(err)
		}
	}
}
