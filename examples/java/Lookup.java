import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/** Is this vehicle insured? java -cp '.:nimbus-jose-jwt-10.10.jar' Lookup AB12CDE */
class Lookup {
  public static void main(String[] args) throws Exception {
    var encoded = URLEncoder.encode(args[0], StandardCharsets.UTF_8).replace("+", "%20");
    var response = Service.send("/v1/vehicle/" + encoded + "/insurance", null);
    var type = response.headers().firstValue("Content-Type").orElse("");
    // API Gateway's own errors have no code.
    var code = type.equals("application/problem+json") ? Service.json(response).get("code") : "";
    // These two are answers. Any other error ends the program.
    if (response.statusCode() != 200 && !Set.of("VEHICLE_NOT_FOUND", "INVALID_REGISTRATION").contains(code)) {
      throw new IOException(response.statusCode() + ": " + response.body());
    }
    System.out.println(args[0] + " " + Service.outcome(Service.json(response)));
  }
}
