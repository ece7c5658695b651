package evtx

import (
	"encoding/binary"
	"strings"
)

// Bounds on the work. A chunk that Windows wrote takes a third of it.
const (
	maxSpent  = 64 << 10 // tokens, values and pieces of text of one chunk
	textPiece = 64       // bytes
	maxLevels = 24       // elements and templates in each other
	maxText   = 64 << 10 // bytes of one text
	maxArray  = 4096     // values
)

// Tokens of binary XML. The bit more says that attributes or further text follow.
const (
	tokenEnd          = 0x00
	tokenElement      = 0x01
	tokenCloseStart   = 0x02
	tokenCloseEmpty   = 0x03
	tokenCloseElement = 0x04
	tokenValue        = 0x05
	tokenAttribute    = 0x06
	tokenCDATA        = 0x07
	tokenCharacter    = 0x08
	tokenEntity       = 0x09
	tokenTarget       = 0x0a
	tokenInstruction  = 0x0b
	tokenTemplate     = 0x0c
	tokenSubstitution = 0x0d
	tokenOptional     = 0x0e
	tokenFragment     = 0x0f
	more              = 0x40
)

// parser reads binary XML at a place of a chunk: names and templates are told by their places in it.
// What is damaged ends the parsing, and what was read before stays.
type parser struct {
	chunk   []byte
	at, end int
	budget  *int // of the chunk
}

// take returns the next n bytes, or nil where they are not there.
func (p *parser) take(n int) []byte {
	if n < 0 || p.at+n > min(p.end, len(p.chunk)) {
		p.at = p.end
		return nil
	}
	p.at += n
	return p.chunk[p.at-n : p.at]
}

func (p *parser) uint8() byte { return byte(number(p.take(1))) }
func (p *parser) uint16() int { return int(number(p.take(2))) }
func (p *parser) uint32() int { return int(number(p.take(4))) }

// name reads a reference to a name, which stands here when it is used for the first time.
func (p *parser) name() string {
	from := p.uint32()
	if from < 0 || from+8 > len(p.chunk) {
		p.at = p.end
		return ""
	}
	size := 2 * int(binary.LittleEndian.Uint16(p.chunk[from+6:]))
	if from == p.at {
		p.take(8 + size + 2)
	}
	if from+8+size > len(p.chunk) {
		p.at = p.end
		return ""
	}
	return utf16Text(p.chunk[from+8 : from+8+size])
}

// spend takes from the budget of the chunk.
func (p *parser) spend() bool { return p.pay(1) }

func (p *parser) pay(n int) bool {
	*p.budget -= n
	if *p.budget < 0 {
		p.at = p.end
	}
	return *p.budget >= 0
}

// content reads up to the end of an element or of the data. Elements that stand in a value of their
// own have no identifier of what they depend on.
func (p *parser) content(in *node, values []value, level int, dependent bool) {
	for p.at < p.end && level < maxLevels && p.spend() {
		switch token := p.uint8(); token &^ more {
		case tokenEnd, tokenCloseElement:
			return
		case tokenFragment:
			p.take(3)
		case tokenElement:
			p.element(in, values, level, dependent, token&more != 0)
		case tokenTemplate:
			p.template(in, level)
		case tokenTarget:
			p.name()
		case tokenInstruction:
			p.take(2 * p.uint16())
		case tokenCloseStart:
		default:
			if !p.text(token, values, level, in, &in.text) {
				p.at = p.end // what follows cannot be told apart
				return
			}
		}
	}
}

func (p *parser) element(in *node, values []value, level int, dependent, attributes bool) {
	if dependent = dependent && !p.independent(); dependent {
		p.take(2)
	}
	p.take(4) // its size
	n := &node{name: p.name()}
	in.kids = append(in.kids, n)
	if attributes {
		p.take(4) // the size of their list
	}
	for p.at < p.end && p.spend() {
		switch token := p.uint8(); token &^ more {
		case tokenAttribute:
			n.attributes = append(n.attributes, Datum{Name: p.name()})
			var text strings.Builder
			for p.at < p.end && isText(p.chunk[p.at]) && p.spend() {
				p.text(p.uint8(), values, level, n, &text)
			}
			n.attributes[len(n.attributes)-1].Value = text.String()
		case tokenCloseStart:
			p.content(n, values, level+1, dependent)
			return
		default: // of an empty element
			return
		}
	}
}

// independent reports whether an element has no identifier of what it depends on, where all others
// have one: in events that another machine forwarded. Its name stands right behind its reference.
func (p *parser) independent() bool {
	if p.at+10 > p.end {
		return false
	}
	with := int(binary.LittleEndian.Uint32(p.chunk[p.at+6:]))
	without := int(binary.LittleEndian.Uint32(p.chunk[p.at+4:]))
	return without == p.at+8 && with != p.at+10
}

func isText(token byte) bool {
	switch token &^ more {
	case tokenValue, tokenCDATA, tokenCharacter, tokenEntity, tokenSubstitution, tokenOptional:
		return true
	}
	return false
}

var entities = map[string]string{"amp": "&", "lt": "<", "gt": ">", "quot": `"`, "apos": "'"}

// text reads a token of text. The value of a substitution may hold elements: they go into the node.
func (p *parser) text(token byte, values []value, level int, in *node, out *strings.Builder) bool {
	said := ""
	switch token &^ more {
	case tokenValue:
		if kind := p.uint8(); kind != kindString {
			return false
		}
		said = utf16Text(p.take(2 * p.uint16()))
	case tokenCDATA:
		said = utf16Text(p.take(2 * p.uint16()))
	case tokenCharacter:
		said = string(rune(p.uint16()))
	case tokenEntity:
		said = entities[p.name()]
	case tokenSubstitution, tokenOptional:
		i := p.uint16()
		p.uint8() // the kind, which stands with the value too
		if i >= len(values) {
			return true
		}
		v := values[i]
		if v.kind == kindBinXML {
			inner := parser{chunk: p.chunk, at: v.from, end: v.from + v.len, budget: p.budget}
			inner.content(in, nil, level+1, false)
			return true
		}
		said = v.say(p.chunk)
	default:
		return false
	}
	p.pay(len(said) / textPiece)
	out.WriteString(said[:min(len(said), max(maxText-out.Len(), 0))])
	return true
}

// template reads an instance: which template, its definition where it is used for the first time, and
// the values to fill in.
func (p *parser) template(in *node, level int) {
	p.take(1 + 4)
	from := p.uint32()
	const definitionHeader = 4 + 16 + 4 // the next one, a GUID, the size
	if from < 0 || from+definitionHeader > len(p.chunk) {
		p.at = p.end
		return
	}
	size := int(binary.LittleEndian.Uint32(p.chunk[from+20:]))
	if from == p.at {
		p.take(definitionHeader + size)
	}
	values := make([]value, 0, 16)
	count := p.uint32()
	for range count {
		described := p.take(4)
		if described == nil || !p.spend() {
			return
		}
		values = append(values, value{kind: described[2],
			len: int(binary.LittleEndian.Uint16(described))})
	}
	for i := range values {
		values[i].from = p.at
		if p.take(values[i].len) == nil && values[i].len > 0 {
			values[i].len = 0
		}
	}
	inner := parser{chunk: p.chunk, at: from + definitionHeader,
		end: min(from+definitionHeader+size, len(p.chunk)), budget: p.budget}
	inner.content(in, values, level+1, true)
}
