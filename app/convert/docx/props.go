package docx

// runProps are character properties set at one level: by a style, the defaults,
// or the run itself.
type runProps struct {
	bold, italic, strike, caps, smallCaps, vanish, rtl toggle
	boldCS, italicCS                                   toggle // for right-to-left and complex text
	underline, vertical, font                          string
	size, sizeCS                                       length
	colour                                             string
	highlight                                          string
	shade                                              *colour
	border                                             border
	style                                              string
}

// over returns p overridden by the properties that o sets.
func (p runProps) over(o runProps) runProps {
	p.bold, p.italic, p.strike = p.bold.or(o.bold), p.italic.or(o.italic), p.strike.or(o.strike)
	p.caps, p.smallCaps, p.vanish = p.caps.or(o.caps), p.smallCaps.or(o.smallCaps), p.vanish.or(o.vanish)
	return p.rest(o)
}

// toggled is over for a character style on top of a paragraph style.
func (p runProps) toggled(o runProps) runProps {
	p.bold, p.italic, p.strike = p.bold.xor(o.bold), p.italic.xor(o.italic), p.strike.xor(o.strike)
	p.caps, p.smallCaps, p.vanish = p.caps.xor(o.caps), p.smallCaps.xor(o.smallCaps), p.vanish.xor(o.vanish)
	return p.rest(o)
}

func (p runProps) rest(o runProps) runProps {
	p.rtl, p.boldCS, p.italicCS = p.rtl.or(o.rtl), p.boldCS.or(o.boldCS), p.italicCS.or(o.italicCS)
	p.underline, p.vertical = orString(p.underline, o.underline), orString(p.vertical, o.vertical)
	p.font, p.colour = orString(p.font, o.font), orString(p.colour, o.colour)
	p.highlight, p.style = orString(p.highlight, o.highlight), orString(p.style, o.style)
	p.size, p.sizeCS = p.size.or(o.size), p.sizeCS.or(o.sizeCS)
	if o.shade != nil {
		p.shade = o.shade
	}
	p.border = p.border.or(o.border)
	return p
}

func orString(s, over string) string {
	if over != "" {
		return over
	}
	return s
}

func readRunProps(n *node) runProps {
	var p runProps
	if n == nil {
		return p
	}
	for _, k := range n.kids {
		switch k.name {
		case "w:rStyle":
			p.style = k.val()
		case "w:b":
			p.bold = readToggle(k)
		case "w:bCs":
			p.boldCS = readToggle(k)
		case "w:i":
			p.italic = readToggle(k)
		case "w:iCs":
			p.italicCS = readToggle(k)
		case "w:strike", "w:dstrike":
			p.strike = readToggle(k)
		case "w:caps":
			p.caps = readToggle(k)
		case "w:smallCaps":
			p.smallCaps = readToggle(k)
		case "w:vanish":
			p.vanish = readToggle(k)
		case "w:rtl":
			p.rtl = readToggle(k)
		default:
			p.readLook(k)
		}
	}
	return p
}

func (p *runProps) readLook(k *node) {
	switch k.name {
	case "w:u":
		p.underline = orString("single", k.val())
	case "w:vertAlign":
		p.vertical = k.val()
	case "w:rFonts":
		p.font = orString(k.attr("w:hAnsi"), k.attr("w:ascii"))
	case "w:sz":
		p.size = fontSize(k)
	case "w:szCs":
		p.sizeCS = fontSize(k)
	case "w:color":
		p.colour = k.val()
	case "w:highlight":
		p.highlight = k.val()
	case "w:bdr":
		p.border = readBorder(k)
	case "w:shd":
		if c, ok := shade(k); ok {
			p.shade = &c
		}
	}
}

// fontSize converts half points to points.
func fontSize(k *node) length {
	l := measure(k.val(), 0.5)
	if l.set {
		l.points = min(max(l.points, 1), 400)
	}
	return l
}
