package archive

// SyncDir does nothing: Windows has no sync of a folder; NTFS journals renames.
func SyncDir(string) error { return nil }
