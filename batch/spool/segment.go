package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"time"
)

// A segment is a file of records behind a header. All numbers are little-endian.
//
//	header  "RRSPOOL1" | base uint64 | created int64 | name length uint16 | name | crc32c uint32
//	record  length uint32 | crc32c uint32 | payload;  payload = flags byte | BSON document
//
// base is the position of the header's first byte in the whole log: each segment begins where the
// one before it ended, so that a position names a record for ever. created is in Unix
// nanoseconds. The header's checksum covers what stands before it; a record's covers its length and
// its payload.
const (
	magic      = "RRSPOOL1"
	headerSize = len(magic) + 8 + 8 + 2 + 4 // without the name
	prefixSize = 8                          // of a record: length and checksum

	// Overhead is what a record takes on disk beside its document, in bytes.
	Overhead = prefixSize + 1

	// maxDocument bounds a record's document: MongoDB's limit of 16 MiB.
	maxDocument = 16 << 20
	minDocument = 5
	maxName     = 1<<16 - 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Record is one document of the log.
type Record struct {
	Pos   uint64 // where it is; set by the log
	Flags byte   // the writer's, kept as they are
	Doc   []byte // a BSON document
}

// header is what stands at the beginning of a segment.
type header struct {
	base    uint64
	created time.Time
	name    string
}

func (h header) append(dst []byte) []byte {
	from := len(dst)
	dst = append(dst, magic...)
	dst = binary.LittleEndian.AppendUint64(dst, h.base)
	dst = binary.LittleEndian.AppendUint64(dst, uint64(h.created.UnixNano()))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(h.name)))
	dst = append(dst, h.name...)
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli))
}

var errHeader = errors.New("no header of a spool segment")

// readHeader reads the header of a segment and returns its size.
func readHeader(data []byte) (h header, size int, err error) {
	if len(data) < headerSize || string(data[:len(magic)]) != magic {
		return h, 0, errHeader
	}
	n := int(binary.LittleEndian.Uint16(data[24:]))
	size = headerSize + n
	if len(data) < size || binary.LittleEndian.Uint32(data[size-4:]) != crc32.Checksum(data[:size-4], castagnoli) {
		return h, 0, errHeader
	}
	h.base = binary.LittleEndian.Uint64(data[8:])
	h.created = time.Unix(0, int64(binary.LittleEndian.Uint64(data[16:])))
	h.name = string(data[26 : 26+n])
	return h, size, nil
}

// appendRecord appends a record's bytes.
func appendRecord(dst []byte, r Record) []byte {
	from := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(1+len(r.Doc)))
	dst = append(dst, 0, 0, 0, 0, r.Flags)
	dst = append(dst, r.Doc...)
	binary.LittleEndian.PutUint32(dst[from+4:], checksum(dst[from:]))
	return dst
}

// checksum is the one of a whole record: of all its bytes but the checksum's own.
func checksum(record []byte) uint32 {
	sum := crc32.Update(0, castagnoli, record[:4])
	return crc32.Update(sum, castagnoli, record[prefixSize:])
}

// readRecord reads the record at off and returns where it ends. ok is false where there is none:
// cut short, or with anything about it wrong.
func readRecord(data []byte, off int) (r Record, end int, ok bool) {
	if off < 0 || len(data)-off < Overhead+minDocument {
		return r, off, false
	}
	at := data[off:]
	n := int(binary.LittleEndian.Uint32(at))
	if n < 1+minDocument || n > 1+maxDocument || n > len(at)-prefixSize {
		return r, off, false
	}
	// A document begins with its own length and ends in a zero. That is checked before the checksum
	// because it makes looking for a record at every offset cheap.
	whole := at[:prefixSize+n]
	if int(binary.LittleEndian.Uint32(whole[Overhead:])) != n-1 || whole[len(whole)-1] != 0 {
		return r, off, false
	}
	if binary.LittleEndian.Uint32(at[4:]) != checksum(whole) {
		return r, off, false
	}
	return Record{Flags: whole[prefixSize], Doc: whole[Overhead:len(whole):len(whole)]}, off + len(whole), true
}

// damage is a stretch of a segment that holds no record.
type damage struct {
	from, to int
	tail     bool // nothing follows
	torn     bool // a tail that ends before the record that it begins with: a write cut short
}

func (d damage) String() string {
	switch {
	case d.torn:
		return fmt.Sprintf("torn tail of %d bytes at offset %d", d.to-d.from, d.from)
	case d.tail:
		return fmt.Sprintf("bad tail of %d bytes at offset %d", d.to-d.from, d.from)
	}
	return fmt.Sprintf("%d bad bytes at offset %d", d.to-d.from, d.from)
}

// scan reads a segment from its first byte to its last. It calls record for each record, with its
// offset and end, and bad for each stretch between them that is none. It stops when record returns
// false.
//
// Behind a bad record the next good one is looked for byte by byte, since the length of a bad one
// can't be trusted: what is lost is that record and no other.
func scan(data []byte, record func(r Record, off, end int) bool, bad func(damage)) {
	_, off, err := readHeader(data)
	if err != nil {
		off = resync(data, 0)
		bad(damageOf(data, 0, off))
	}
	for off < len(data) {
		r, end, ok := readRecord(data, off)
		if !ok {
			end = resync(data, off+1)
			bad(damageOf(data, off, end))
		} else if !record(r, off, end) {
			return
		}
		off = end
	}
}

// resync returns the offset of the first good record at or behind off, the end of data if none is.
func resync(data []byte, off int) int {
	for ; off < len(data); off++ {
		if _, _, ok := readRecord(data, off); ok {
			return off
		}
	}
	return len(data)
}

func damageOf(data []byte, from, to int) damage {
	d := damage{from: from, to: to, tail: to == len(data)}
	if rest := data[from:]; d.tail {
		d.torn = len(rest) < prefixSize || uint64(binary.LittleEndian.Uint32(rest)) > uint64(len(rest)-prefixSize)
		if from == 0 {
			d.torn = len(rest) < headerSize+maxName && (len(rest) < len(magic) || string(rest[:len(magic)]) == magic)
		}
	}
	return d
}
