package machine

import "runtime/debug"

// moduleVersion returns the version of a module that this program was built with, or
// "" if it isn't known.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
