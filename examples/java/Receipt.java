import com.nimbusds.jose.*;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jose.proc.*;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.*;
import java.io.File;
import java.nio.file.*;
import java.util.Set;

/** Verifies a signed answer with a saved key set: java … Receipt receipt.jwt jwks.json https://api.example.com */
class Receipt {
  public static void main(String[] args) throws Exception {
    var keys = new ImmutableJWKSet<SecurityContext>(JWKSet.load(new File(args[1])));
    var type = new JOSEObjectType("vehicle-answer+jwt");
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(type));
    // Never the algorithm that the receipt names.
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, keys));
    var expected = new JWTClaimsSet.Builder().issuer(args[2]).build();
    processor.setJWTClaimsSetVerifier(new DefaultJWTClaimsVerifier<>(expected, Set.of("iat", "jti")));
    var claims = processor.process(Files.readString(Path.of(args[0])).trim(), null);
    var answer = claims.getJSONObjectClaim("answer");
    if (answer.get("insured") == null) throw new IllegalArgumentException("no answer about one insurance");
    if (claims.getClaim("sandbox") != null) System.out.println("From the sandbox:");
    System.out.println(answer.get("registration") + " " + Service.outcome(answer));
  }
}
