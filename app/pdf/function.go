package pdf

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"paraph/app/pdf/object"
	"paraph/app/pdf/reader"
)

// errFunction reports a function that can't be computed.
var errFunction = errors.New("pdf: not a function")

// Bounds of functions.
const (
	functionDepth = 8       // of stitched ones
	functionSteps = 10_000  // of a program
	functionStack = 100     // numbers that a program may keep
	functionTable = 1 << 22 // values of a table
)

// numbers returns the numbers in an array.
func (f *File) numbers(v any) []float64 {
	var out []float64
	for _, e := range f.Array(v) {
		n, ok := object.Float(f.Resolve(e))
		if !ok {
			return nil
		}
		out = append(out, n)
	}
	return out
}

// compute returns the value of a function (ISO 32000-2 §7.10), or of several with one value each.
func (f *File) compute(v any, in []float64, depth int) ([]float64, error) {
	if depth > functionDepth {
		return nil, errFunction
	}
	if all, several := f.Resolve(v).(array); several {
		var out []float64
		for _, one := range all {
			y, err := f.compute(one, in, depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, y...)
		}
		return out, nil
	}
	d := f.Dict(v)
	in = clipped(in, f.numbers(d["Domain"]))
	kind, ok := f.Int(d["FunctionType"])
	if !ok || len(in) == 0 {
		return nil, errFunction
	}
	var out []float64
	var err error
	switch kind {
	case 0:
		out, err = f.table(v, d, in)
	case 2:
		out = f.exponential(d, in[0])
	case 3:
		out, err = f.stitched(d, in[0], depth)
	case 4:
		out, err = f.program(v, in)
	}
	if err == nil && len(out) == 0 {
		err = errFunction
	}
	return clipped(out, f.numbers(d["Range"])), err
}

// clipped keeps numbers within pairs of bounds.
func clipped(all, bounds []float64) []float64 {
	out := make([]float64, len(all))
	for i, n := range all {
		if 2*i+1 < len(bounds) {
			n = min(max(n, bounds[2*i]), bounds[2*i+1])
		}
		out[i] = n
	}
	return out
}

func between(x, from, to, low, high float64) float64 {
	if from == to {
		return low
	}
	return low + (x-from)*(high-low)/(to-from)
}

// table looks up the value in a table that is nearest.
func (f *File) table(v any, d dict, in []float64) ([]float64, error) {
	s, _ := f.Resolve(v).(*reader.Stream)
	size, domain, ranges := f.numbers(d["Size"]), f.numbers(d["Domain"]), f.numbers(d["Range"])
	bits, _ := f.Int(d["BitsPerSample"])
	if s == nil || len(size) != len(in) || len(domain) != 2*len(in) || len(ranges) < 2 || bits < 1 || bits > 32 {
		return nil, errFunction
	}
	data, err := f.Decode(s)
	if err != nil {
		return nil, err
	}
	encode, decode := f.numbers(d["Encode"]), f.numbers(d["Decode"])
	at, step := 0.0, 1.0
	for i, x := range in {
		low, high := 0.0, size[i]-1
		if 2*i+1 < len(encode) {
			low, high = encode[2*i], encode[2*i+1]
		}
		at += step * min(max(math.Round(between(x, domain[2*i], domain[2*i+1], low, high)), 0), size[i]-1)
		step *= size[i]
	}
	n := len(ranges) / 2
	if !(at >= 0 && step <= functionTable) {
		return nil, errFunction
	}
	out := make([]float64, n)
	for j := range out {
		sample := uint64(0)
		for b := range int(bits) {
			p := (int(at)*n+j)*int(bits) + b
			if p/8 >= len(data) {
				return nil, errFunction
			}
			sample = sample<<1 | uint64(data[p/8]>>(7-p%8)&1)
		}
		low, high := ranges[2*j], ranges[2*j+1]
		if 2*j+1 < len(decode) {
			low, high = decode[2*j], decode[2*j+1]
		}
		out[j] = between(float64(sample), 0, float64(uint64(1)<<bits-1), low, high)
	}
	return out, nil
}

func (f *File) exponential(d dict, x float64) []float64 {
	from, to := f.numbers(d["C0"]), f.numbers(d["C1"])
	if d["C0"] == nil {
		from = []float64{0}
	}
	if d["C1"] == nil {
		to = []float64{1}
	}
	exponent, ok := object.Float(f.Resolve(d["N"]))
	if !ok || len(from) != len(to) {
		return nil
	}
	out := make([]float64, len(from))
	for i := range out {
		out[i] = from[i] + math.Pow(x, exponent)*(to[i]-from[i])
	}
	return out
}

func (f *File) stitched(d dict, x float64, depth int) ([]float64, error) {
	all, bounds, encode, domain := f.Array(d["Functions"]), f.numbers(d["Bounds"]), f.numbers(d["Encode"]), f.numbers(d["Domain"])
	if len(all) == 0 || len(bounds) != len(all)-1 || len(encode) < 2*len(all) || len(domain) != 2 {
		return nil, errFunction
	}
	k := 0
	for k < len(bounds) && x >= bounds[k] {
		k++
	}
	low, high := domain[0], domain[1]
	if k > 0 {
		low = bounds[k-1]
	}
	if k < len(bounds) {
		high = bounds[k]
	}
	return f.compute(all[k], []float64{between(x, low, high, encode[2*k], encode[2*k+1])}, depth+1)
}

// program runs a function of the PostScript calculator.
func (f *File) program(v any, in []float64) ([]float64, error) {
	s, _ := f.Resolve(v).(*reader.Stream)
	if s == nil {
		return nil, errFunction
	}
	data, err := f.Decode(s)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.NewReplacer("{", " { ", "}", " } ", "\x00", " ").Replace(string(data)))
	c := &calculator{stack: append([]float64(nil), in...)}
	if len(words) < 2 || words[0] != "{" || closing(words, 0) != len(words)-1 {
		return nil, errFunction
	}
	c.run(words[1 : len(words)-1])
	return c.stack, c.err
}

// closing returns the place of the bracket that closes the one at a place.
func closing(words []string, at int) int {
	depth := 0
	for i := at; i < len(words); i++ {
		switch words[i] {
		case "{":
			depth++
		case "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// calculator runs programs. Truth values are 1 and 0, of which it can't be told whether they are numbers.
type calculator struct {
	stack []float64
	steps int
	err   error
}

func (c *calculator) pop() float64 {
	if len(c.stack) == 0 {
		c.err = errFunction
		return 0
	}
	x := c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
	return x
}

func (c *calculator) push(x float64) {
	if len(c.stack) >= functionStack || math.IsNaN(x) {
		c.err = errFunction
		return
	}
	c.stack = append(c.stack, x)
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (c *calculator) run(words []string) {
	var blocks [][]string
	for i := 0; i < len(words) && c.err == nil; i++ {
		if c.steps++; c.steps > functionSteps {
			c.err = errFunction
			return
		}
		switch w := words[i]; w {
		case "{":
			end := closing(words, i)
			if end < 0 {
				c.err = errFunction
				return
			}
			blocks = append(blocks, words[i+1:end])
			i = end
		case "if", "ifelse":
			n := len(blocks) - 1
			if w == "ifelse" {
				n = len(blocks) - 2
			}
			if n < 0 {
				c.err = errFunction
				return
			}
			chosen := blocks[n:]
			blocks = blocks[:n]
			if c.pop() != 0 {
				c.run(chosen[0])
			} else if len(chosen) > 1 {
				c.run(chosen[1])
			}
		default:
			if n, err := strconv.ParseFloat(w, 64); err == nil {
				c.push(n)
			} else {
				c.operate(w)
			}
		}
	}
}

var monadic = map[string]func(float64) float64{
	"neg": func(x float64) float64 { return -x }, "abs": math.Abs, "ceiling": math.Ceil, "floor": math.Floor, "round": math.Round,
	"truncate": math.Trunc, "cvi": math.Trunc, "cvr": func(x float64) float64 { return x }, "sqrt": math.Sqrt, "ln": math.Log, "log": math.Log10,
	"sin": func(x float64) float64 { return math.Sin(x * math.Pi / 180) }, "cos": func(x float64) float64 { return math.Cos(x * math.Pi / 180) },
	"not": func(x float64) float64 { return truth(x == 0) },
}

var dyadic = map[string]func(x, y float64) float64{
	"add": func(x, y float64) float64 { return x + y }, "sub": func(x, y float64) float64 { return x - y },
	"mul": func(x, y float64) float64 { return x * y }, "div": func(x, y float64) float64 { return x / y },
	"idiv": func(x, y float64) float64 { return math.Trunc(math.Trunc(x) / math.Trunc(y)) }, "mod": math.Mod, "exp": math.Pow,
	"atan": func(x, y float64) float64 { return math.Mod(math.Atan2(x, y)*180/math.Pi+360, 360) },
	"eq":   func(x, y float64) float64 { return truth(x == y) }, "ne": func(x, y float64) float64 { return truth(x != y) },
	"gt": func(x, y float64) float64 { return truth(x > y) }, "ge": func(x, y float64) float64 { return truth(x >= y) },
	"lt": func(x, y float64) float64 { return truth(x < y) }, "le": func(x, y float64) float64 { return truth(x <= y) },
	"and": func(x, y float64) float64 { return float64(int64(x) & int64(y)) }, "or": func(x, y float64) float64 { return float64(int64(x) | int64(y)) },
	"xor": func(x, y float64) float64 { return float64(int64(x) ^ int64(y)) },
	"bitshift": func(x, y float64) float64 {
		if y < 0 {
			return float64(int64(x) >> uint(min(-y, 63)))
		}
		return float64(int64(x) << uint(min(y, 63)))
	},
}

func (c *calculator) operate(w string) {
	if op := monadic[w]; op != nil {
		c.push(op(c.pop()))
		return
	}
	if op := dyadic[w]; op != nil {
		y := c.pop()
		c.push(op(c.pop(), y))
		return
	}
	switch w {
	case "true", "false":
		c.push(truth(w == "true"))
	case "pop":
		c.pop()
	case "dup":
		x := c.pop()
		c.push(x)
		c.push(x)
	case "exch":
		y := c.pop()
		x := c.pop()
		c.push(y)
		c.push(x)
	case "copy":
		n := int(c.pop())
		if n < 0 || n > len(c.stack) {
			c.err = errFunction
			return
		}
		for _, x := range append([]float64(nil), c.stack[len(c.stack)-n:]...) {
			c.push(x)
		}
	case "index":
		n := int(c.pop())
		if n < 0 || n >= len(c.stack) {
			c.err = errFunction
			return
		}
		c.push(c.stack[len(c.stack)-1-n])
	case "roll":
		j := int(c.pop())
		n := int(c.pop())
		if n < 0 || n > len(c.stack) {
			c.err = errFunction
			return
		}
		top := c.stack[len(c.stack)-n:]
		was := append([]float64(nil), top...)
		for i := range top {
			top[((i+j)%n+n)%n] = was[i]
		}
	default:
		c.err = errFunction
	}
}
