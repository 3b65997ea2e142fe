package tree

import "golang.org/x/mod/sumdb/tlog"

// Frontier computes the head of a tree whose leaves come one by one, without keeping
// them. The zero value is an empty tree.
type Frontier struct {
	size     int64
	complete []tlog.Hash // of the complete subtrees, largest first
}

// Size returns the number of leaves so far.
func (f *Frontier) Size() int64 { return f.size }

// Add adds the hash of a leaf.
func (f *Frontier) Add(leaf tlog.Hash) {
	for n := f.size; n&1 == 1; n >>= 1 {
		last := len(f.complete) - 1
		leaf = tlog.NodeHash(f.complete[last], leaf)
		f.complete = f.complete[:last]
	}
	f.complete = append(f.complete, leaf)
	f.size++
}

// Root returns the hash of the tree so far.
func (f *Frontier) Root() tlog.Hash {
	if len(f.complete) == 0 {
		root, _ := tlog.TreeHash(0, nil) // of an empty tree, which reads nothing
		return root
	}
	last := len(f.complete) - 1
	root := f.complete[last]
	for i := last - 1; i >= 0; i-- {
		root = tlog.NodeHash(f.complete[i], root)
	}
	return root
}
