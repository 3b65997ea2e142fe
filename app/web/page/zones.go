package page

import (
	_ "embed"
	"strings"
)

//go:embed zones.txt
var zoneNames string

// zones returns the names of the time zones offered. Readers can type any other from
// the IANA database.
func zones() []string { return strings.Fields(zoneNames) }
