import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Supplier;

import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** A servlet for each of the routes, with the work behind them. */
final class Routes {
	/** The most that a body may have, in bytes, as on the other servers. */
	private static final int MAX_BODY = 4 << 20;

	private static final ObjectMapper JSON = new ObjectMapper();

	private Routes() {}

	static ServletContextHandler all() {
		ServletContextHandler routes = new ServletContextHandler(ServletContextHandler.NO_SESSIONS);
		routes.addServlet(new ServletHolder(new Plain(Work::hello)), "/hello");
		routes.addServlet(new ServletHolder(new Plain(Work::timestamp)), "/timestamp");
		routes.addServlet(new ServletHolder(new Survey(Work::surveyNoDB)), "/surveynodb/*");
		return routes;
	}

	private static void send(HttpServletResponse res, Reply reply) throws IOException {
		byte[] body;
		if (reply.value() instanceof String text) {
			res.setContentType("text/plain;charset=utf-8");
			body = text.getBytes(StandardCharsets.UTF_8);
		} else {
			res.setContentType("application/json");
			body = JSON.writeValueAsBytes(reply.value());
		}
		res.setStatus(reply.status());
		res.setContentLength(body.length);
		res.getOutputStream().write(body);
	}

	/** GET of a path without parameters. */
	private static final class Plain extends HttpServlet {
		private final Supplier<Reply> work;

		Plain(Supplier<Reply> work) {
			this.work = work;
		}

		@Override
		protected void doGet(HttpServletRequest req, HttpServletResponse res) throws IOException {
			send(res, work.get());
		}
	}

	/** What is done with the answers of a user to a survey. */
	private interface Answered {
		Reply by(String survey, String user, Map<?, ?> answers);
	}

	/** POST to a path that ends in /survey/user, with answers in the body. */
	private static final class Survey extends HttpServlet {
		private final Answered work;

		Survey(Answered work) {
			this.work = work;
		}

		@Override
		protected void doPost(HttpServletRequest req, HttpServletResponse res) throws IOException {
			send(res, answer(req));
		}

		private Reply answer(HttpServletRequest req) throws IOException {
			String[] path = req.getPathInfo() == null ? new String[0] : req.getPathInfo().split("/");
			if (path.length != 3) { // "", survey, user
				return Reply.problem(404, "there is nothing here");
			}
			byte[] body = req.getInputStream().readNBytes(MAX_BODY + 1);
			if (body.length > MAX_BODY) {
				return Reply.problem(413, "the body is too long");
			}
			try {
				return JSON.readValue(body, Object.class) instanceof Map<?, ?> answers
						? work.by(path[1], path[2], answers)
						: Reply.problem(422, "the answers are no JSON object");
			} catch (JsonProcessingException e) {
				return Reply.problem(400, e.getOriginalMessage());
			}
		}
	}
}
