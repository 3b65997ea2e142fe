package app_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// verifier is a program that judges files one by one. It ends when the pipe closes
// at the end of the tests.
type verifier struct {
	mu  sync.Mutex
	in  io.Writer
	out *bufio.Scanner
}

// java starts a program with the given jars of Debian.
func java(program, classes string, jars ...string) (*verifier, error) {
	path := []string{classes}
	for _, name := range jars {
		path = append(path, "/usr/share/java/"+name+".jar")
	}
	cmd := exec.Command("java", "-Xmx768m", "-XX:TieredStopAtLevel=1", "-Dorg.apache.commons.logging.Log=org.apache.commons.logging.impl.NoOpLog",
		"-cp", strings.Join(path, ":"), program)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", program, err)
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &verifier{in: in, out: lines}, nil
}

var startVerifier = sync.OnceValues(func() (*verifier, error) {
	const folder = "../testdata/verifier"
	return java(folder+"/Verifier.java", folder, "pdfbox2", "fontbox2", "commons-logging", "bcprov", "bcpkix", "bcutil")
})

// startPreflight starts a program that checks files against PDF/A-1b. It uses
// classes that Java no longer has, so it can't be run from its source.
func startPreflight(t *testing.T) *verifier {
	t.Helper()
	const source = "../testdata/verifier"
	classes := t.TempDir()
	tool(t, "javac", "-d", classes, "-cp", "/usr/share/java/preflight.jar:/usr/share/java/pdfbox2.jar", "-sourcepath", source,
		filepath.Join(source, "Preflight.java"), filepath.Join(source, "javax/activation/FileDataSource.java"), filepath.Join(source, "javax/xml/bind/DatatypeConverter.java"))
	v, err := java("Preflight", classes, "preflight", "xmpbox", "pdfbox2", "fontbox2", "commons-logging", "commons-io")
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *verifier) ask(path string) ([]string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := fmt.Fprintln(v.in, path); err != nil {
		return nil, err
	}
	var lines []string
	for v.out.Scan() {
		if v.out.Text() == "." {
			return lines, nil
		}
		lines = append(lines, v.out.Text())
	}
	return nil, fmt.Errorf("the verifier ended: %w", cmp.Or(v.out.Err(), io.ErrUnexpectedEOF))
}

// bouncyCastle finds all signatures with PDFBox and verifies each with Bouncy
// Castle.
func bouncyCastle(t *testing.T, path string, signatures int) {
	t.Helper()
	v, err := startVerifier()
	if err != nil {
		t.Fatal(err)
	}
	lines, err := v.ask(path)
	good := 0
	for _, l := range lines {
		if strings.HasPrefix(l, "good ") {
			good++
		}
	}
	if err != nil || good != signatures || good != len(lines) {
		t.Errorf("PDFBox and Bouncy Castle (%v): %d of %d good:\n%s", err, good, signatures, strings.Join(lines, "\n"))
	}
}
