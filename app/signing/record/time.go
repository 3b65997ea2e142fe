package record

import "time"

const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// FormatTime writes a time as the API does: RFC 3339, UTC, milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format(timeLayout) }
