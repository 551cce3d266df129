import java.util.Map;

/** What a route answers: a String is sent as plain text, everything else as JSON. */
record Reply(int status, Object value) {
	static Reply problem(int status, String detail) {
		return new Reply(status, Map.of("status", status, "detail", detail));
	}
}
