package document_test

import (
	"math"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// everyType has a value or more of every BSON type.
var everyType = []any{
	1.5, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, 1e-300, 100.0,
	"text", "\"\\\x00\n\u2028é😀", "",
	bson.D{{Key: "k", Value: int32(1)}}, bson.D{}, bson.A{int32(1), "x"}, bson.A{},
	bson.Binary{Subtype: 0, Data: []byte{1, 2, 3}}, bson.Binary{Subtype: 2, Data: []byte{1, 2}},
	bson.Binary{Subtype: 4, Data: []byte("0123456789abcdef")}, bson.Binary{Subtype: 0x80},
	bson.Undefined{}, bson.ObjectID(fixedID), true, false,
	bson.NewDateTimeFromTime(time.Date(2020, 1, 2, 3, 4, 5, 678e6, time.UTC)),
	bson.DateTime(0), bson.DateTime(-1), bson.DateTime(math.MaxInt64), bson.DateTime(253402300800000),
	nil, bson.Regex{Pattern: "^a/\"", Options: "im"},
	bson.DBPointer{DB: "c", Pointer: fixedID}, bson.JavaScript("f()"), bson.Symbol("s"),
	bson.CodeWithScope{Code: "g()", Scope: bson.D{{Key: "x", Value: int32(1)}}},
	int32(7), int32(math.MinInt32), bson.Timestamp{T: 4294967295, I: 1}, int64(7), int64(math.MinInt64),
	bson.NewDecimal128(0x3040000000000000, 12345), bson.NewDecimal128(0x7c00000000000000, 0),
	bson.NewDecimal128(0xf800000000000000, 0), bson.MinKey{}, bson.MaxKey{},
}
