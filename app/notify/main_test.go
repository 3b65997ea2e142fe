package notify_test

import (
	"os"
	"testing"

	"paraph/app/apptest"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }
