package page

import (
	_ "embed"
	"strings"
)

//go:embed zones.txt
var zoneNames string

// zones returns the names of time zones to choose from. Others that the IANA
// database knows can be typed.
func zones() []string { return strings.Fields(zoneNames) }
