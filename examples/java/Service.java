import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.IOException;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** Requests of the service that only read, so that each may be repeated. */
class Service {
  static final int ATTEMPTS = 5;
  static final HttpClient CLIENT = HttpClient.newHttpClient();

  /** The response to a GET, or with a body to a POST. The caller looks at its status. */
  static HttpResponse<String> send(String path, String body) throws Exception {
    var builder = HttpRequest.newBuilder(URI.create(System.getenv("API_ORIGIN") + path))
        .timeout(Duration.ofSeconds(15))
        .header("X-API-Key", System.getenv("API_KEY"))
        .header("Content-Type", "application/json");
    if (body != null) builder.POST(HttpRequest.BodyPublishers.ofString(body));
    for (int attempt = 1; ; attempt++) {
      long seconds = 1;
      try {
        var response = CLIENT.send(builder.build(), HttpResponse.BodyHandlers.ofString());
        boolean isTransient = response.statusCode() == 429 || response.statusCode() >= 500;
        if (!isTransient || attempt == ATTEMPTS) return response;
        seconds = response.headers().firstValueAsLong("Retry-After").orElse(1);
      } catch (IOException error) {
        if (attempt == ATTEMPTS) throw error;
      }
      Thread.sleep(1_000 * seconds + ThreadLocalRandom.current().nextLong(1_000L << (attempt - 1)));
    }
  }

  /** The response to a request that must succeed. */
  static HttpResponse<String> read(String path, String body) throws Exception {
    var response = send(path, body);
    if (response.statusCode() != 200) throw new IOException(response.statusCode() + ": " + response.body());
    return response;
  }

  static Map<String, Object> json(HttpResponse<String> response) throws Exception {
    return JSONObjectUtils.parse(response.body());
  }

  /** The code of an entry or a problem, otherwise what the answer says. */
  static String outcome(Map<String, Object> answer) {
    if (answer.get("code") != null) return answer.get("code").toString();
    return answer.get("insured").equals(true) ? "insured" : "not insured";
  }
}
