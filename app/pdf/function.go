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
	functionDepth = 8       // of stitched ones, and of the blocks of a program
	functionWords = 10_000  // of a program
	functionStack = 100     // numbers that a program may keep
	functionTable = 1 << 22 // values of a table
	functionRead  = 1000    // steps that reading one counts as, besides its bytes
)

// functions computes the functions of a file (ISO 32000-2 §7.10). Those of a hostile file could take for ever: left
// is how many steps all of them may take together.
type functions struct {
	*File
	left int
}

// function computes values from other values.
type function func(in []float64) ([]float64, error)

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

// read reads a function, so that it can be computed often.
func (f *functions) read(v any, depth int) (function, error) {
	if f.left -= functionRead; f.left < 0 || depth > functionDepth {
		return nil, errFunction
	}
	d := f.Dict(v)
	domain, ranges := f.numbers(d["Domain"]), f.numbers(d["Range"])
	kind, ok := f.Int(d["FunctionType"])
	if !ok || len(domain) < 2 {
		return nil, errFunction
	}
	var inner function
	var err error
	switch kind {
	case 0:
		inner, err = f.table(v, d, domain, ranges)
	case 2:
		inner, err = f.exponential(d)
	case 3:
		inner, err = f.stitched(d, domain, depth)
	case 4:
		inner, err = f.program(v)
	default:
		err = errFunction
	}
	if err != nil {
		return nil, err
	}
	return func(in []float64) ([]float64, error) {
		if f.left--; f.left < 0 || len(in) == 0 {
			return nil, errFunction
		}
		out, err := inner(clipped(in, domain))
		if err == nil && len(out) == 0 {
			err = errFunction
		}
		return clipped(out, ranges), err
	}, nil
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

// table looks up the nearest value of a table.
func (f *functions) table(v any, d dict, domain, ranges []float64) (function, error) {
	s, _ := f.Resolve(v).(*reader.Stream)
	size := f.numbers(d["Size"])
	bits, _ := f.Int(d["BitsPerSample"])
	if s == nil || len(size) == 0 || len(domain) != 2*len(size) || len(ranges) < 2 || bits < 1 || bits > 32 {
		return nil, errFunction
	}
	data, err := f.Decode(s)
	if f.left -= len(data); err != nil {
		return nil, err
	}
	encode, decode := f.numbers(d["Encode"]), f.numbers(d["Decode"])
	n := len(ranges) / 2
	return func(in []float64) ([]float64, error) {
		if len(in) != len(size) {
			return nil, errFunction
		}
		at, step := 0.0, 1.0
		for i, x := range in {
			low, high := 0.0, size[i]-1
			if 2*i+1 < len(encode) {
				low, high = encode[2*i], encode[2*i+1]
			}
			at += step * min(max(math.Round(between(x, domain[2*i], domain[2*i+1], low, high)), 0), size[i]-1)
			step *= size[i]
		}
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
	}, nil
}

func (f *functions) exponential(d dict) (function, error) {
	from, to := f.numbers(d["C0"]), f.numbers(d["C1"])
	if d["C0"] == nil {
		from = []float64{0}
	}
	if d["C1"] == nil {
		to = []float64{1}
	}
	exponent, ok := object.Float(f.Resolve(d["N"]))
	if !ok || len(from) != len(to) {
		return nil, errFunction
	}
	return func(in []float64) ([]float64, error) {
		out := make([]float64, len(from))
		for i := range out {
			out[i] = from[i] + math.Pow(in[0], exponent)*(to[i]-from[i])
		}
		return out, nil
	}, nil
}

func (f *functions) stitched(d dict, domain []float64, depth int) (function, error) {
	bounds, encode := f.numbers(d["Bounds"]), f.numbers(d["Encode"])
	var all []function
	for _, v := range f.Array(d["Functions"]) {
		one, err := f.read(v, depth+1)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if len(all) == 0 || len(bounds) != len(all)-1 || len(encode) < 2*len(all) {
		return nil, errFunction
	}
	return func(in []float64) ([]float64, error) {
		k := 0
		for k < len(bounds) && in[0] >= bounds[k] {
			k++
		}
		low, high := domain[0], domain[1]
		if k > 0 {
			low = bounds[k-1]
		}
		if k < len(bounds) {
			high = bounds[k]
		}
		return all[k]([]float64{between(in[0], low, high, encode[2*k], encode[2*k+1])})
	}, nil
}

// program reads a function of the PostScript calculator.
func (f *functions) program(v any) (function, error) {
	s, _ := f.Resolve(v).(*reader.Stream)
	if s == nil {
		return nil, errFunction
	}
	data, err := f.Decode(s)
	if f.left -= len(data); err != nil {
		return nil, err
	}
	words := strings.Fields(strings.NewReplacer("{", " { ", "}", " } ", "\x00", " ").Replace(string(data)))
	if len(words) == 0 || len(words) > functionWords || words[0] != "{" {
		return nil, errFunction
	}
	steps, rest, err := parseSteps(words[1:], 0)
	if err != nil || len(rest) > 0 {
		return nil, errFunction
	}
	return func(in []float64) ([]float64, error) {
		c := &calculator{stack: append([]float64(nil), in...), left: &f.left}
		c.run(steps)
		return c.stack, c.err
	}, nil
}

// step is one word of a program: a number, an operator, or a conditional with its blocks.
type step struct {
	number       float64
	operator     string // "" for a number
	yes, no      []step
	hasCondition bool
}

// parseSteps reads the words of a block up to the bracket that closes it.
func parseSteps(words []string, depth int) (steps []step, rest []string, err error) {
	if depth > functionDepth {
		return nil, nil, errFunction
	}
	var blocks [][]step
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		switch {
		case word == "{":
			var block []step
			if block, words, err = parseSteps(words, depth+1); err != nil {
				return nil, nil, err
			}
			blocks = append(blocks, block)
			continue
		case word == "}":
			if len(blocks) > 0 {
				return nil, nil, errFunction
			}
			return steps, words, nil
		case word == "if" && len(blocks) == 1:
			steps = append(steps, step{yes: blocks[0], hasCondition: true})
		case word == "ifelse" && len(blocks) == 2:
			steps = append(steps, step{yes: blocks[0], no: blocks[1], hasCondition: true})
		case len(blocks) > 0:
			return nil, nil, errFunction // blocks stand before what chooses between them
		default:
			if n, err := strconv.ParseFloat(word, 64); err == nil {
				steps = append(steps, step{number: n})
			} else {
				steps = append(steps, step{operator: word})
			}
		}
		blocks = nil
	}
	return nil, nil, errFunction // it is not closed
}

// calculator runs programs. Truth values are 1 and 0, of which it can't be told whether they are numbers.
type calculator struct {
	stack []float64
	left  *int // steps
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

func (c *calculator) run(steps []step) {
	for _, s := range steps {
		if *c.left--; *c.left < 0 {
			c.err = errFunction
		}
		switch {
		case c.err != nil:
			return
		case s.hasCondition && c.pop() != 0:
			c.run(s.yes)
		case s.hasCondition:
			c.run(s.no)
		case s.operator == "":
			c.push(s.number)
		default:
			c.operate(s.operator)
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
