package document

// Limits names what a store cannot hold although BSON can. A set field makes [Append] refuse the
// thing (as [Unfit]) before anything is promised, where the store would refuse it, mangle it or
// hang up afterwards. The zero value is MongoDB, which has none of these limits.
type Limits struct {
	NestedArrays bool // an array directly inside an array
	DottedKeys   bool // a key that contains a dot
	DollarKeys   bool // $ref, $id and $db of an Extended JSON DBRef
	NegativeZero bool // the double -0
	Infinity     bool // the doubles Infinity and -Infinity
	NaN          bool // the double NaN
	Decimal128   bool
	Code         bool // JavaScript, with and without scope
	Symbol       bool
	DBPointer    bool
	MinMaxKey    bool
	Undefined    bool
}

// FerretDB returns the limits of FerretDB 1.24 on its SQLite backend, the embedded database. It
// answers an error to nested arrays, dotted and $ keys and infinities, turns -0 into 0, and closes
// the connection on the types that its wire decoder does not know. (It also moves an _id inside a
// nested document to the front of that one; no value is lost, so that is not refused.)
func FerretDB() Limits {
	return Limits{
		NestedArrays: true,
		DottedKeys:   true,
		DollarKeys:   true,
		NegativeZero: true,
		Infinity:     true,
		NaN:          true,
		Decimal128:   true,
		Code:         true,
		Symbol:       true,
		DBPointer:    true,
		MinMaxKey:    true,
		Undefined:    true,
	}
}
