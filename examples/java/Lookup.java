import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Is this vehicle insured? java -cp '.:nimbus-jose-jwt-10.10.jar' Lookup AB12CDE */
class Lookup {
  public static void main(String[] args) throws Exception {
    var encoded = URLEncoder.encode(args[0], StandardCharsets.UTF_8).replace("+", "%20");
    var response = Service.send("/v1/vehicle/" + encoded + "/insurance", null);
    var type = response.headers().firstValue("Content-Type").orElse("");
    if (response.statusCode() != 200 && !type.equals("application/problem+json")) {
      throw new IllegalStateException("status " + response.statusCode()); // from API Gateway itself
    }
    System.out.println(args[0] + " " + Service.outcome(Service.json(response)));
  }
}
