package convert

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// FontFiles writes fonts to a folder. LibreOffice draws boxes for characters that no font of the machine
// has.
type FontFiles func(dir string) error

// offeredFonts is a folder with fonts for LibreOffice and a configuration that finds them there besides
// those of the machine. It is made when the first file is converted.
type offeredFonts struct {
	mu  sync.Mutex
	dir string
}

// Close removes what was made for all runs. It must not be called while one is running.
func (o *Office) Close() error {
	o.fonts.mu.Lock()
	defer o.fonts.mu.Unlock()
	if o.fonts.dir == "" {
		return nil
	}
	dir := o.fonts.dir
	o.fonts.dir = ""
	return os.RemoveAll(dir)
}

// fontDir returns the folder of the offered fonts, "" if there are none.
func (o *Office) fontDir(ctx context.Context) (dir string, err error) {
	o.fonts.mu.Lock()
	defer o.fonts.mu.Unlock()
	if o.Fonts == nil || o.fonts.dir != "" {
		return o.fonts.dir, nil
	}
	if dir, err = os.MkdirTemp(o.Dir, "office-fonts-"); err != nil {
		return "", err
	}
	if err := o.writeFonts(ctx, dir); err != nil {
		return "", errors.Join(fmt.Errorf("fonts for LibreOffice: %w", err), os.RemoveAll(dir))
	}
	o.fonts.dir = dir
	return dir, nil
}

func (o *Office) writeFonts(ctx context.Context, dir string) error {
	if err := o.Fonts(dir); err != nil {
		return err
	}
	var escaped bytes.Buffer
	if err := xml.EscapeText(&escaped, []byte(dir)); err != nil {
		return err
	}
	config := `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>` +
		`<include ignore_missing="yes">/etc/fonts/fonts.conf</include>` +
		`<dir>` + escaped.String() + `</dir><cachedir>` + escaped.String() + `/cache</cachedir></fontconfig>`
	if err := os.WriteFile(fontConfig(dir), []byte(config), 0o600); err != nil {
		return err
	}
	// Without this cache, every run reads every font: slower, but with the same result.
	if program, err := exec.LookPath("fc-cache"); err == nil {
		cmd := exec.CommandContext(ctx, program, dir)
		cmd.Env = append(os.Environ(), "FONTCONFIG_FILE="+fontConfig(dir))
		_ = cmd.Run()
	}
	return ctx.Err()
}

func fontConfig(dir string) string { return filepath.Join(dir, "fonts.conf") }
