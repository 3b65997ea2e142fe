package badgerguard

// MapUnguarded turns the guard of mapped files off until restore is called.
func MapUnguarded() (restore func()) {
	guarded := unixMapper.mmap
	unixMapper.mmap = unguarded
	return func() { unixMapper.mmap = guarded }
}
