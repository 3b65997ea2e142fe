package docx

const maxLevels = 9

// numbering is numbering.xml with the counters of the lists.
type numbering struct {
	abstract map[string]*list
	nums     map[string]*num
	used     []*list
	unknown  func(format string) // called for number formats shown as digits
}

// list is a w:abstractNum; its counters are shared by all its users.
type list struct {
	levels  [maxLevels]level
	counts  [maxLevels]int
	started [maxLevels]bool
	inUse   bool
	link    string // numStyleLink
}

type num struct {
	list      *list
	overrides [maxLevels]*level
	starts    [maxLevels]*int
	applied   [maxLevels]bool // a start override counts once
}

type level struct {
	start   int
	restart int // number of the level that restarts this one; -1 the one above
	format  string
	text    string
	suffix  string // tab, space, nothing
	align   string
	legal   bool
	para    paraProps
	run     runProps
}

// label is a paragraph's number or bullet.
type label struct {
	text, suffix, align string
	run                 runProps
}

func readNumbering(root *node) *numbering {
	n := &numbering{abstract: map[string]*list{}, nums: map[string]*num{}, unknown: func(string) {}}
	if root == nil {
		return n
	}
	styleLinks := map[string]*list{}
	for _, k := range root.kids {
		if k.name == "w:abstractNum" {
			l := readList(k)
			n.abstract[k.attr("w:abstractNumId")] = l
			if id := k.child("w:styleLink").val(); id != "" {
				styleLinks[id] = l
			}
		}
	}
	for _, k := range root.kids {
		if k.name != "w:num" {
			continue
		}
		l := n.abstract[k.child("w:abstractNumId").val()]
		if l != nil && l.link != "" && styleLinks[l.link] != nil {
			l = styleLinks[l.link]
		}
		if l != nil {
			n.nums[k.attr("w:numId")] = readNum(k, l)
		}
	}
	return n
}

func readList(k *node) *list {
	l := &list{link: k.child("w:numStyleLink").val()}
	for i := range l.levels {
		l.levels[i] = level{start: 1, restart: -1, format: "decimal", suffix: "tab"}
	}
	for _, v := range k.kids {
		if i := integer(v.attr("w:ilvl"), -1); v.name == "w:lvl" && i >= 0 && i < maxLevels {
			l.levels[i] = readLevel(v)
		}
	}
	return l
}

func readLevel(v *node) level {
	l := level{
		start: integer(v.child("w:start").val(), 1), restart: integer(v.child("w:lvlRestart").val(), -1),
		format: orString("decimal", v.child("w:numFmt").val()), text: v.child("w:lvlText").val(),
		suffix: orString("tab", v.child("w:suff").val()), align: v.child("w:lvlJc").val(),
		legal: readToggle(v.child("w:isLgl")) == on,
		para:  readParaProps(v.child("w:pPr")), run: readRunProps(v.child("w:rPr")),
	}
	if v.child("w:numFmt") == nil {
		if f := v.find("w:numFmt"); f != nil { // within AlternateContent
			l.format = f.val()
		}
	}
	return l
}

func readNum(k *node, l *list) *num {
	n := &num{list: l}
	for _, o := range k.kids {
		i := integer(o.attr("w:ilvl"), -1)
		if o.name != "w:lvlOverride" || i < 0 || i >= maxLevels {
			continue
		}
		if v := o.child("w:lvl"); v != nil {
			lv := readLevel(v)
			n.overrides[i] = &lv
		}
		if s := o.child("w:startOverride"); s != nil {
			start := integer(s.val(), 1)
			n.starts[i] = &start
		}
	}
	return n
}

func (n *num) level(i int) *level {
	if n.overrides[i] != nil {
		return n.overrides[i]
	}
	return &n.list.levels[i]
}

// start returns the number that a level begins with.
func (n *num) start(i int) int {
	if n.starts[i] != nil {
		return *n.starts[i]
	}
	return n.level(i).start
}

// find returns a list and the level in it, nil if the paragraph has no number.
func (n *numbering) find(id, ilvl string) (*num, int) {
	if id == "" || id == "0" {
		return nil, 0
	}
	return n.nums[id], min(max(integer(ilvl, 0), 0), maxLevels-1)
}

// next counts a paragraph and returns its label.
func (n *numbering) next(u *num, i int) *label {
	l, v := u.list, u.level(i)
	if !l.inUse {
		l.inUse = true
		n.used = append(n.used, l)
	}
	switch {
	case u.starts[i] != nil && !u.applied[i]:
		u.applied[i] = true
		l.counts[i] = *u.starts[i] - 1
	case !l.started[i]:
		l.counts[i] = u.start(i) - 1
	}
	l.counts[i]++
	l.started[i] = true
	for j := i + 1; j < maxLevels; j++ {
		if r := u.level(j).restart; r < 0 || i < r {
			l.started[j] = false
		}
	}
	return &label{text: n.text(u, i), suffix: v.suffix, align: v.align, run: v.run}
}
