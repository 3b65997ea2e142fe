package app_test

import (
	"testing"
	"time"

	"paraph/app/apptest"
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
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it goes on")
		}
	}
}
