import java.util.HashMap;
import java.util.Map;

import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * The scenario routes without a database on Jetty, for bench --lineup.
 *
 * <p>Debian's MongoDB driver for Java (3.6) asks in the old wire protocol, OP_QUERY, which neither
 * the embedded database nor MongoDB from 5.1 on answers: so there are no routes that store.
 *
 * <p>It prints "listening on http://HOST:PORT" once it takes requests. SIGTERM ends it.
 */
public final class Main {
	public static void main(String[] args) throws Exception {
		System.setProperty("org.eclipse.jetty.LEVEL", "WARN");
		System.setProperty("org.eclipse.jetty.util.log.announce", "false");
		String listen = flags(args).get("--listen");
		int colon = listen.lastIndexOf(':');
		String host = listen.substring(0, colon);
		Server server = new Server();
		ServerConnector connector = new ServerConnector(server);
		connector.setHost(host);
		connector.setPort(Integer.parseInt(listen.substring(colon + 1)));
		server.addConnector(connector);
		server.setHandler(Routes.all());
		Runtime.getRuntime().addShutdownHook(new Thread(() -> end(server)));
		server.start();
		System.out.println("listening on http://" + host + ":" + connector.getLocalPort());
	}

	/** The flags are those of every server of the line-up; those of the database change nothing here. */
	private static Map<String, String> flags(String[] args) {
		Map<String, String> flags = new HashMap<>(Map.of(
				"--listen", "127.0.0.1:8080", "--mongo-uri", "", "--database", "", "--batch-size", ""));
		for (int i = 0; i < args.length; i += 2) {
			if (!flags.containsKey(args[i]) || i + 1 == args.length) {
				throw new IllegalArgumentException("flag " + args[i] + " is unknown or has no value");
			}
			flags.put(args[i], args[i + 1]);
		}
		return flags;
	}

	/** Takes no more requests, and ends the process with 0: Java would exit with 143 after a SIGTERM. */
	private static void end(Server server) {
		int status = 0;
		try {
			server.stop();
		} catch (Exception e) {
			System.err.println(e);
			status = 1;
		}
		Runtime.getRuntime().halt(status);
	}
}
