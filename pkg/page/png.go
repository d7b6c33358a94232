package page

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes in a picture, in points except for dotsPerInch.
const (
	dotsPerInch = 144
	margin      = 20
	panelGap    = 24
)

// ErrTooMany means that a picture would have more than 100 panels, too many to read.
var ErrTooMany = errors.New("too many panels for one picture")

const maxPanels = 100

// PNG writes pictures into one PNG image, one below the other. Each picture has a title, a legend, and rows of panels.
// columns is the largest number of panels in a row; a wide panel has its own row.
func PNG(w io.Writer, columns int, pictures ...Picture) error {
	const one = panelWidth + panelGap
	widest, panels := vg.Length(panelWidth), 0
	for _, f := range pictures {
		panels += len(f.Panels)
		for _, row := range f.Rows() {
			widest = max(widest, vg.Length(min(columns, len(row)))*one-panelGap)
			for _, p := range row {
				w, _ := p.Size()
				widest = max(widest, w)
			}
		}
	}
	if panels > maxPanels {
		return fmt.Errorf("%w: there are %d panels, and one picture shows at most %d; select fewer "+
			"runs", ErrTooMany, panels, maxPanels)
	}
	s := pictureSheet{width: widest}
	height := vg.Length(2 * margin)
	for _, f := range pictures {
		height += s.pictureHeight(f)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(s.width+2*margin, height), vgimg.UseDPI(dotsPerInch),
		vgimg.UseBackgroundColor(Background))
	c := draw.Crop(draw.New(canvas), margin, -margin, margin, -margin)
	for _, f := range pictures {
		s.drawPicture(c, f)
		c.Max.Y -= s.pictureHeight(f)
	}
	var b bytes.Buffer
	_, err := (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b)
	if err == nil {
		_, err = w.Write(withSignature(b.Bytes()))
	}
	if err != nil {
		return fmt.Errorf("picture: %w", err)
	}
	return nil
}

// signature is the PNG chunk that names the program which wrote the picture: type, keyword and text.
const signature = "tEXtSoftware\x00h5perf"

// headBytes is the length of the beginning of every PNG: eight bytes and the chunk IHDR. Then other chunks may follow.
const headBytes = 8 + 25

// HasSignature reports whether the function PNG wrote a file. head holds the first bytes of the file.
func HasSignature(head []byte) bool {
	const length = 4 // size of the length field, which precedes the chunk type
	return len(head) > headBytes+length && bytes.HasPrefix(head, []byte("\x89PNG")) &&
		bytes.HasPrefix(head[headBytes+length:], []byte(signature))
}

// withSignature inserts the signature of h5perf into the bytes of a PNG image.
func withSignature(picture []byte) []byte {
	size, sum := make([]byte, 4), make([]byte, 4)
	binary.BigEndian.PutUint32(size, uint32(len(signature)-len("tEXt")))
	binary.BigEndian.PutUint32(sum, crc32.ChecksumIEEE([]byte(signature)))
	return slices.Concat(picture[:headBytes], size, []byte(signature), sum, picture[headBytes:])
}

// pictureSheet arranges the panels of pictures on a canvas. width is the width of the canvas in points.
type pictureSheet struct {
	width vg.Length
}

const titleHeight = 26

func (s pictureSheet) pictureHeight(f Picture) vg.Length {
	h := titleHeight + legend{f.Keys, s.width}.totalHeight() + panelGap/2
	for _, row := range s.arrangePanels(f) {
		h += maxPanelHeight(row) + panelGap
	}
	return h + sourceHeight*vg.Length(len(s.sourceLines(f)))
}

// sourceHeight is the height of a line about the source of a picture, in points.
const sourceHeight = textSize + 4

// sourceLines divides the text about the source of a picture into lines that fit the width.
func (s pictureSheet) sourceLines(f Picture) (lines []string) {
	sty := textStyle(Muted, textSize, text.XLeft, text.YTop)
	for word := range strings.FieldsSeq(f.Source) {
		if last := len(lines) - 1; last >= 0 && sty.Width(lines[last]+" "+word) <= s.width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// arrangePanels returns the rows of a picture. Each row has as many panels as fit the width.
func (s pictureSheet) arrangePanels(f Picture) (rows [][]Panel) {
	for _, row := range f.Rows() {
		var used vg.Length
		for i, p := range row {
			w, _ := p.Size()
			if i == 0 || used+panelGap+w > s.width {
				rows, used = append(rows, nil), -panelGap
			}
			last := len(rows) - 1
			rows[last], used = append(rows[last], p), used+panelGap+w
		}
	}
	return rows
}

func maxPanelHeight(row []Panel) (most vg.Length) {
	for _, p := range row {
		_, h := p.Size()
		most = max(most, h)
	}
	return most
}

func (s pictureSheet) drawPicture(c draw.Canvas, f Picture) {
	sty := textStyle(Text, titleSize*1.3, text.XLeft, text.YTop)
	sty.Font.Weight = boldWeight
	c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y}, truncateText(sty, f.Title, s.width))
	c.Max.Y -= titleHeight
	k := legend{f.Keys, s.width}
	k.drawLegend(c)
	c.Max.Y -= k.totalHeight() + panelGap/2
	for _, row := range s.arrangePanels(f) {
		x := c.Min.X
		for _, p := range row {
			w, h := p.Size()
			p.drawPanel(draw.Canvas{
				Canvas: c.Canvas, Rectangle: vg.Rectangle{
					Min: vg.Point{X: x, Y: c.Max.Y - h}, Max: vg.Point{X: x + w, Y: c.Max.Y},
				},
			})
			x += w + panelGap
		}
		c.Max.Y -= maxPanelHeight(row) + panelGap
	}
	small := textStyle(Muted, textSize, text.XLeft, text.YTop)
	for i, line := range s.sourceLines(f) {
		c.FillText(small, vg.Point{X: c.Min.X, Y: c.Max.Y + panelGap/2 - sourceHeight*vg.Length(i)}, line)
	}
}
