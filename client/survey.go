package client

// SurveyAnswers returns the bodies that are sent where none are given: three filled-in
// surveys of 14, 8 and 10 answers, each an object from question to answer, 237 to 276 bytes
// long. The caller owns them.
func SurveyAnswers() [][]byte {
	return [][]byte{[]byte(satisfaction), []byte(restaurant), []byte(commute)}
}

const (
	satisfaction = `{"age":34,"gender":"f","country":"AT","visits":12,"found":true,"quality":4,` +
		`"price":3,"service":5,"delivery":2,"again":"yes","recommend":9,"channel":"search",` +
		`"newsletter":false,"remark":"The parcel came two days late, but everything in it was fine."}`

	restaurant = `{"table":"by the window","guests":4,"starter":"pumpkin soup","main":"gnocchi with sage",` +
		`"taste":5,"wait_minutes":25,"tip_percent":12.5,` +
		`"remark":"We would have liked to sit a little longer after dessert, as the evening was so warm, and nobody else was waiting for the table."}`

	commute = `{"from":"Graz","to":"Wien","means":["tram","train"],"minutes":168,"days_a_week":3,` +
		`"cost":{"amount":62.4,"currency":"EUR"},"seat":"usually","late_last_month":4,` +
		`"would_move":null,"wish":"One more early train, and a quiet coach in each of them."}`
)
