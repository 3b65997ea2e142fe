package pdfium

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// instance is PDFium with its own memory, for one source at a time. The first failed
// call sets err, after which all calls do nothing and return 0.
type instance struct {
	m      *module
	mod    api.Module
	mem    api.Memory
	linear *linearMemory
	funcs  map[string]*function
	src    *source
	out    io.Writer
	outErr error
	err    error
	temp   uint64 // 64 bytes for output parameters
}

type function struct {
	api.Function
	stack []uint64
}

// instance starts PDFium without a source, as the image has it.
func (m *module) instance() (*instance, error) {
	i, err := m.create()
	if err != nil {
		return nil, err
	}
	if err := i.reset(); err != nil {
		return nil, errors.Join(err, i.close())
	}
	return i, nil
}

// create makes an instance in which nothing of PDFium but its constructors has run.
func (m *module) create() (*instance, error) {
	i := &instance{m: m, funcs: map[string]*function{}}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(
		func(_, limit uint64) experimental.LinearMemory {
			i.linear = newLinearMemory(min(limit, m.maxBytes))
			return i.linear
		}))
	mod, err := m.runtime.InstantiateModule(ctx, m.compiled, m.config)
	if err != nil {
		return nil, fmt.Errorf("%w: instantiate: %w", ErrCrashed, err)
	}
	i.mod, i.mem = mod, mod.Memory()
	return i, nil
}

func (i *instance) close() error { return i.mod.Close(context.Background()) }

// call runs an exported function of PDFium.
func (i *instance) call(name string, args ...uint64) uint64 {
	if i.err != nil {
		return 0
	}
	f := i.funcs[name]
	if f == nil {
		exported := i.mod.ExportedFunction(name)
		if exported == nil {
			i.err = fmt.Errorf("pdfium: no function %s", name)
			return 0
		}
		def := exported.Definition()
		f = &function{exported, make([]uint64, max(len(def.ParamTypes()), len(def.ResultTypes()), 1))}
		i.funcs[name] = f
	}
	copy(f.stack, args)
	if err := f.CallWithStack(context.Background(), f.stack); err != nil {
		i.err = i.trap(name, err)
		return 0
	}
	return f.stack[0]
}

// trap returns the reason why PDFium stopped: it aborts if it is denied memory.
func (i *instance) trap(name string, err error) error {
	if i.linear != nil && i.linear.refused {
		return fmt.Errorf("%w: %s needs more than %d MiB", ErrTooLarge, name, i.m.maxBytes>>20)
	}
	reason, _, _ := strings.Cut(err.Error(), "\n") // omits the WebAssembly stack trace
	return fmt.Errorf("%w: %s: %s", ErrCrashed, name, reason)
}

// callInt is call for functions that return an int.
func (i *instance) callInt(name string, args ...uint64) int {
	return int(int32(i.call(name, args...)))
}

func (i *instance) malloc(n int) uint64 {
	p := i.call("malloc", uint64(n))
	if p == 0 && i.err == nil {
		i.err = fmt.Errorf("%w: no room for %d bytes", ErrTooLarge, n)
	}
	return p
}

func (i *instance) free(p uint64) { i.call("free", p) }

// bytes returns n bytes of PDFium's memory at p, valid until the next call.
func (i *instance) bytes(p uint64, n int) []byte {
	b, ok := i.mem.Read(uint32(p), uint32(n))
	if !ok && i.err == nil {
		i.err = fmt.Errorf("%w: %d bytes at %#x are out of memory", ErrCrashed, n, p)
	}
	return b
}
