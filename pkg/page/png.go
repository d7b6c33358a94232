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
	"gonum.org/v1/plot/vg/recorder"
	"gonum.org/v1/plot/vg/vgimg"
)

// Sizes in a picture, in points except for dotsPerInch.
const (
	dotsPerInch = 144
	margin      = 20
	panelGap    = 24
	titleHeight = 26
	keyGap      = 18

	keyRowHeight = 18
	sourceHeight = textSize + 4 // of a line about the source of a picture
)

// ErrTooMany means that a picture would have more than 100 panels, too many to read.
var ErrTooMany = errors.New("too many panels for one picture")

const maxPanels = 100

// PNG writes pictures into one PNG image, one below the other. Each picture has a title, a legend, and rows of panels.
// columns is the largest number of panels in a row; a wide panel has its own row.
func PNG(w io.Writer, columns int, pictures ...Picture) error {
	width, panels := vg.Length(panelWidth), 0
	for _, f := range pictures {
		panels += len(f.Panels)
		for _, row := range f.Rows() {
			width = max(width, vg.Length(min(columns, len(row)))*(panelWidth+panelGap)-panelGap)
			if row[0].Wide {
				width = max(width, pageWidth)
			}
		}
	}
	if panels > maxPanels {
		return fmt.Errorf("%w: there are %d panels, and one picture shows at most %d; select fewer "+
			"runs", ErrTooMany, panels, maxPanels)
	}
	var drawn recorder.Canvas // the height of the pictures is known when they are drawn
	c := draw.NewCanvas(&drawn, width, 0)
	for _, f := range pictures {
		c.Max.Y = f.drawPicture(c)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(width+2*margin, 2*margin-c.Max.Y), vgimg.UseDPI(dotsPerInch),
		vgimg.UseBackgroundColor(Background))
	canvas.Translate(vg.Point{X: margin, Y: margin - c.Max.Y})
	var b bytes.Buffer
	err := drawn.ReplayOn(canvas)
	if err == nil {
		_, err = (vgimg.PngCanvas{Canvas: canvas}).WriteTo(&b)
	}
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

// wrapItems distributes items over rows that are not wider than width. gap is the space between two items.
func wrapItems[T any](items []T, width, gap vg.Length, size func(T) vg.Length) (rows [][]T) {
	var used vg.Length
	for i, item := range items {
		if i == 0 || used+size(item) > width {
			rows, used = append(rows, nil), 0
		}
		last := len(rows) - 1
		rows[last], used = append(rows[last], item), used+size(item)+gap
	}
	return rows
}

// drawPicture draws a picture below the upper end of the canvas: title, legend, panels and source. It returns the y of
// the lower end of the picture.
func (f Picture) drawPicture(c draw.Canvas) vg.Length {
	part := func(x, y, width, height vg.Length) draw.Canvas {
		return draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - height}, Max: vg.Point{X: x + width, Y: y},
		}}
	}
	title := boldStyle(titleSize*1.3, text.XLeft, text.YTop)
	c.FillText(title, vg.Point{Y: c.Max.Y}, truncateText(title, f.Title, c.Max.X))
	y, name := c.Max.Y-titleHeight, textStyle(Text, textSize, text.XLeft, text.YCenter)
	keySize := func(k LegendKey) vg.Length { return keyWidth + 6 + name.Width(k.Name) }
	for _, row := range wrapItems(f.Keys, c.Max.X, keyGap, keySize) {
		x := vg.Length(0)
		for _, k := range row {
			k.drawSymbol(part(x, y, keyWidth, keyHeight))
			c.FillText(name, vg.Point{X: x + keyWidth + 6, Y: y - keyHeight/2}, k.Name)
			x += keySize(k) + keyGap
		}
		y -= keyRowHeight
	}
	y -= panelGap / 2
	for _, row := range f.Rows() {
		for _, all := range wrapItems(row, c.Max.X, panelGap, func(p Panel) vg.Length { w, _ := p.Size(); return w }) {
			x, low := vg.Length(0), y
			for _, p := range all {
				w, h := p.Size()
				p.drawPanel(part(x, y, w, h), func(ThemeColour, vg.Point, vg.Point, string) {})
				x, low = x+w+panelGap, min(low, y-h)
			}
			y = low - panelGap
		}
	}
	small := textStyle(Muted, textSize, text.XLeft, text.YTop)
	for _, words := range wrapItems(strings.Fields(f.Source), c.Max.X, small.Width(" "),
		func(word string) vg.Length { return small.Width(word) }) {
		c.FillText(small, vg.Point{Y: y + panelGap/2}, strings.Join(words, " "))
		y -= sourceHeight
	}
	return y
}
