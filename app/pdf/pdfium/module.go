package pdfium

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/emscripten"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// module is compiled PDFium. It runs one instance at a time.
type module struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	config   wazero.ModuleConfig
	fonts    *os.Root // or nil
	image    *image   // what instances start from
	maxBytes uint64
	current  *instance // the active instance, used by the host functions; nil between requests
	next     *instance // already started for the next request, or nil
}

// newModule compiles PDFium or loads it from the cache. Compiled code can't be
// interrupted (the checks would make it five times slower), so callers must be
// able to kill the process.
func newModule(ctx context.Context, set settings) (*module, error) {
	if len(wasm) == 0 {
		return nil, errors.New("pdfium: go-pdfium no longer has the module where it was")
	}
	rc := wazero.NewRuntimeConfig()
	if set.CacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(set.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("pdfium: cache: %w", err)
		}
		rc = rc.WithCompilationCache(cache)
	}
	m := &module{runtime: wazero.NewRuntimeWithConfig(ctx, rc), maxBytes: uint64(set.MemoryMB) << 20}
	if err := m.compile(ctx); err != nil {
		return nil, errors.Join(err, m.close())
	}
	files, fonts := fontsOnly(set.FontDir)
	m.fonts = fonts
	m.config = wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize").
		WithRandSource(rand.Reader).WithFSConfig(files)
	if err := m.takeImage(); err != nil {
		return nil, errors.Join(err, m.close())
	}
	return m, nil
}

func (m *module) compile(ctx context.Context) (err error) {
	if _, err = wasi_snapshot_preview1.Instantiate(ctx, m.runtime); err != nil {
		return fmt.Errorf("pdfium: WASI: %w", err)
	}
	m.compiled, err = m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), wasm)
	if err != nil {
		return fmt.Errorf("pdfium: compile: %w", err)
	}
	env := m.runtime.NewHostModuleBuilder("env")
	ex, err := emscripten.NewFunctionExporterForModule(m.compiled)
	if err != nil {
		return fmt.Errorf("pdfium: emscripten: %w", err)
	}
	ex.ExportFunctions(env)
	m.exportCallbacks(env)
	if _, err = env.Instantiate(ctx); err != nil {
		return fmt.Errorf("pdfium: host functions: %w", err)
	}
	return nil
}

// exportCallbacks exports the two callbacks in use, for reading and writing,
// and functions that do nothing and return zero for all others that go-pdfium
// compiled in (timers, form actions, URIs, clocks).
func (m *module) exportCallbacks(env wazero.HostModuleBuilder) {
	callbacks := map[string]func(api.Module, []uint64){
		"FPDF_FILEACCESS_CB": m.readCallback,
		"FPDF_FILEWRITE_CB":  m.writeCallback,
	}
	done := map[string]bool{"emscripten_notify_memory_growth": true, "_emscripten_throw_longjmp": true}
	for _, f := range m.compiled.ImportedFunctions() {
		mod, name, _ := f.Import()
		if mod != "env" || done[name] || strings.HasPrefix(name, "invoke_") {
			continue
		}
		done[name] = true
		call, returns := callbacks[name], len(f.ResultTypes()) > 0
		env.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(
			func(_ context.Context, mod api.Module, stack []uint64) {
				switch {
				case call != nil:
					call(mod, stack)
				case returns:
					stack[0] = 0
				}
			}), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
}

// readCallback is m_GetBlock of FPDF_FILEACCESS: param, position, buffer, size.
func (m *module) readCallback(mod api.Module, stack []uint64) {
	pos, at, size := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	stack[0] = 0
	b, ok := mod.Memory().Read(at, size)
	if !ok || m.current == nil {
		return
	}
	if _, err := m.current.src.ReadAt(b, int64(pos)); err == nil {
		stack[0] = 1
	}
}

// writeCallback is WriteBlock of FPDF_FILEWRITE: this, data, size.
func (m *module) writeCallback(mod api.Module, stack []uint64) {
	at, size := uint32(stack[1]), uint32(stack[2])
	stack[0] = 0
	b, ok := mod.Memory().Read(at, size)
	if !ok || m.current == nil || m.current.out == nil || m.current.outErr != nil {
		return
	}
	if _, m.current.outErr = m.current.out.Write(b); m.current.outErr == nil {
		stack[0] = 1
	}
}

func (m *module) close() error {
	err := m.runtime.Close(context.Background())
	if m.image != nil {
		err = errors.Join(err, m.image.saved.close())
	}
	if m.fonts != nil {
		err = errors.Join(err, m.fonts.Close())
	}
	return err
}
