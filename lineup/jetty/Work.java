import java.util.Map;

import org.bson.Document;
import org.bson.types.ObjectId;

/** What the routes do. */
final class Work {
	private Work() {}

	static Reply hello() {
		return new Reply(200, "Hello world!");
	}

	static Reply timestamp() {
		return new Reply(200, Map.of("timestamp", System.currentTimeMillis()));
	}

	static Reply surveyNoDB(String survey, String user, Map<?, ?> answers) {
		document(user, answers);
		return new Reply(200, Map.of("stored", false));
	}

	/** What the servers with a database would store. */
	private static Document document(String user, Map<?, ?> answers) {
		return new Document("_id", new ObjectId()).append("user", user).append("answers", answers);
	}
}
