package powercut

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// node is a file or folder as the kernel knows it. What it doesn't define works as in the
// folder below.
type node struct {
	fs.LoopbackNode
	disk  *Disk
	entry *entry
}

var (
	_ fs.NodeCreater        = (*node)(nil)
	_ fs.NodeMkdirer        = (*node)(nil)
	_ fs.NodeRmdirer        = (*node)(nil)
	_ fs.NodeUnlinker       = (*node)(nil)
	_ fs.NodeRenamer        = (*node)(nil)
	_ fs.NodeLinker         = (*node)(nil)
	_ fs.NodeSymlinker      = (*node)(nil)
	_ fs.NodeWriter         = (*node)(nil)
	_ fs.NodeWritever       = (*node)(nil)
	_ fs.NodeAllocater      = (*node)(nil)
	_ fs.NodeSetattrer      = (*node)(nil)
	_ fs.NodeFsyncer        = (*node)(nil)
	_ fs.NodeCopyFileRanger = (*node)(nil)
)

// newNode returns the node of a name that the kernel asks about.
func (d *Disk) newNode(data *fs.LoopbackRoot, parent *fs.Inode, name string, st *syscall.Stat_t) fs.InodeEmbedder {
	n := &node{LoopbackNode: fs.LoopbackNode{RootData: data}, disk: d}
	above, ok := parent.Operations().(*node)
	kind := st.Mode & syscall.S_IFMT
	if !ok || kind != syscall.S_IFDIR && kind != syscall.S_IFREG {
		n.entry = &entry{} // sockets and links aren't kept
		return n
	}
	d.meta.Lock()
	defer d.meta.Unlock()
	n.entry = above.entry.now[name]
	if n.entry == nil {
		n.entry = d.newEntry(kind == syscall.S_IFDIR)
		above.entry.now[name] = n.entry
		d.log = append(d.log, change{{above.entry, name, n.entry}})
	}
	return n
}

// do runs an operation unless the power is off.
func (n *node) do(what func() syscall.Errno) syscall.Errno {
	n.disk.mu.RLock()
	defer n.disk.mu.RUnlock()
	if n.disk.off {
		return syscall.EIO
	}
	return what()
}

func (n *node) Create(
	ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut,
) (child *fs.Inode, f fs.FileHandle, with uint32, errno syscall.Errno) {
	errno = n.do(func() syscall.Errno {
		child, f, with, errno = n.LoopbackNode.Create(ctx, name, flags, mode, out)
		return errno
	})
	if errno == 0 {
		f = handleOf(f)
	}
	return child, f, with, errno
}

func (n *node) Open(ctx context.Context, flags uint32) (f fs.FileHandle, with uint32, errno syscall.Errno) {
	errno = n.do(func() syscall.Errno {
		f, with, errno = n.LoopbackNode.Open(ctx, flags)
		return errno
	})
	if errno == 0 {
		f = handleOf(f)
	}
	return f, with, errno
}

func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, with, errno := n.LoopbackNode.OpendirHandle(ctx, flags)
	if s, ok := f.(stream); ok && errno == 0 {
		return folderHandle{s, n}, with, 0
	}
	return nil, 0, cmp.Or(errno, syscall.EIO)
}

// stream reads the names in a folder.
type stream interface {
	fs.FileReaddirenter
	fs.FileReleasedirer
	fs.FileSeekdirer
}

// folderHandle is an open folder.
type folderHandle struct {
	stream
	node *node
}

func (h folderHandle) Fsyncdir(ctx context.Context, flags uint32) syscall.Errno {
	return h.node.Fsync(ctx, h, flags)
}

// open lists the operations of an open file. Its descriptor isn't among them: the kernel would then
// write to the underlying file directly, and the disk would not know.
type open interface {
	fs.FileReader
	fs.FileWriter
	fs.FileReleaser
	fs.FileFlusher
	fs.FileGetattrer
	fs.FileSetattrer
	fs.FileAllocater
	fs.FileLseeker
}

// handle is an open file.
type handle struct {
	open
	below fs.FilePassthroughFder
}

func handleOf(f fs.FileHandle) fs.FileHandle {
	below, ok := f.(*fs.LoopbackFile)
	if !ok {
		return f
	}
	return handle{below, below}
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (child *fs.Inode, errno syscall.Errno) {
	errno = n.do(func() syscall.Errno {
		child, errno = n.LoopbackNode.Mkdir(ctx, name, mode, out)
		return errno
	})
	return child, errno
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	return n.take(name, func() syscall.Errno { return n.LoopbackNode.Rmdir(ctx, name) })
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	return n.take(name, func() syscall.Errno { return n.LoopbackNode.Unlink(ctx, name) })
}

// take takes a name away.
func (n *node) take(name string, how func() syscall.Errno) syscall.Errno {
	return n.do(func() syscall.Errno {
		n.disk.meta.Lock()
		defer n.disk.meta.Unlock()
		errno := how()
		if errno == 0 && n.entry.now[name] != nil {
			delete(n.entry.now, name)
			n.disk.log = append(n.disk.log, change{{n.entry, name, nil}})
		}
		return errno
	})
}

func (n *node) Rename(ctx context.Context, name string, above fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	to, ok := above.(*node)
	if !ok || flags != 0 {
		return syscall.EINVAL
	}
	return n.do(func() syscall.Errno {
		n.disk.meta.Lock()
		defer n.disk.meta.Unlock()
		errno := n.LoopbackNode.Rename(ctx, name, &to.LoopbackNode, newName, 0)
		if of := n.entry.now[name]; errno == 0 && of != nil {
			delete(n.entry.now, name)
			to.entry.now[newName] = of
			n.disk.log = append(n.disk.log, change{{n.entry, name, nil}, {to.entry, newName, of}})
		}
		return errno
	})
}

// Link and Symlink are not supported: data folders have no links.
func (n *node) Link(context.Context, fs.InodeEmbedder, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, syscall.EPERM
}

func (n *node) Symlink(context.Context, string, string, *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return nil, syscall.EPERM
}

// CopyFileRange is not supported, so that the kernel reads and writes instead.
func (n *node) CopyFileRange(
	context.Context, fs.FileHandle, uint64, *fs.Inode, fs.FileHandle, uint64, uint64, uint64,
) (uint32, syscall.Errno) {
	return 0, syscall.ENOTSUP
}

func (n *node) Write(ctx context.Context, f fs.FileHandle, data []byte, off int64) (written uint32, errno syscall.Errno) {
	errno = n.do(func() syscall.Errno {
		written, errno = f.(fs.FileWriter).Write(ctx, data, off)
		n.entry.mark(span{off, off + int64(written)})
		return errno
	})
	return written, errno
}

func (n *node) Writev(ctx context.Context, f fs.FileHandle, data [][]byte, off int64) (uint32, syscall.Errno) {
	return n.Write(ctx, f, slices.Concat(data...), off)
}

func (n *node) Allocate(ctx context.Context, f fs.FileHandle, off, size uint64, mode uint32) syscall.Errno {
	return n.do(func() syscall.Errno {
		n.entry.mark(span{int64(off), int64(off + size)})
		return f.(fs.FileAllocater).Allocate(ctx, off, size, mode)
	})
}

func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	return n.do(func() syscall.Errno {
		if size, ok := in.GetSize(); ok {
			n.entry.mark(span{int64(size), int64(size)})
		}
		return n.LoopbackNode.Setattr(ctx, f, in, out)
	})
}

func (n *node) Fsync(_ context.Context, f fs.FileHandle, _ uint32) syscall.Errno {
	return n.do(func() syscall.Errno {
		if n.entry.folder {
			n.disk.syncFolder(n.entry)
			return 0
		}
		h, ok := f.(handle)
		if !ok {
			return syscall.EBADF
		}
		live, _ := h.below.PassthroughFd()
		return fs.ToErrno(n.disk.syncFile(n.entry, live))
	})
}

// mark notes that part of a file, or its size, is not durable.
func (e *entry) mark(s span) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.written = append(e.written, s)
}

// kept is the file with the durable contents of an entry.
func (d *Disk) kept(e *entry) string { return filepath.Join(d.synced, strconv.Itoa(e.id)) }

// syncFile makes the contents of a file durable.
func (d *Disk) syncFile(e *entry, fd int) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	live, err := os.Open("/proc/self/fd/" + strconv.Itoa(fd)) // it may be open for writing only
	if err != nil {
		return err
	}
	defer live.Close()
	info, err := live.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	out, err := os.OpenFile(d.kept(e), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	for _, s := range e.written {
		// Beyond a size to which it was cut in the meantime there are zeros.
		err = errors.Join(err, cutAt(out, s, size), copySpan(live, out, span{s.from, min(s.to, size)}))
	}
	if err = errors.Join(err, out.Truncate(size), out.Close()); err == nil {
		e.written = nil
	}
	return err
}

// cutAt repeats that a file was given another size.
func cutAt(f *os.File, s span, size int64) error {
	if s.from != s.to || s.from >= size {
		return nil
	}
	return f.Truncate(s.from)
}

// copySpan copies part of a file.
func copySpan(from io.ReaderAt, to *os.File, s span) error {
	if s.from >= s.to {
		return nil
	}
	_, err := io.Copy(io.NewOffsetWriter(to, s.from), io.NewSectionReader(from, s.from, s.to-s.from))
	return err
}

// syncFolder makes the names in a folder durable, with all changes of which they are a part.
func (d *Disk) syncFolder(e *entry) {
	d.meta.Lock()
	defer d.meta.Unlock()
	durable := map[*entry]bool{e: true}
	for grown := true; grown; {
		grown = false
		for _, c := range d.log {
			if !slices.ContainsFunc(c, func(n naming) bool { return durable[n.in] }) {
				continue
			}
			for _, n := range c {
				grown = grown || !durable[n.in]
				durable[n.in] = true
			}
		}
	}
	d.log = slices.DeleteFunc(d.log, func(c change) bool {
		if !durable[c[0].in] {
			return false
		}
		c.apply()
		return true
	})
}
